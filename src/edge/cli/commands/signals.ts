/** `keelson signals`: what was decided on the signals of a run: by whom they were sent, and why one was refused. */
import type { SignalDecision } from '../../../app/signals/signal-decision.ts'
import { msFromIso } from '../../../core/time.ts'
import { findRun } from '../open/find-run.ts'
import { openToRead } from '../open/reading.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { oneLine, timeOfDay } from '../terminal/format.ts'
import { printTable } from '../terminal/table.ts'

const HEADING = ['SEQ', 'TIME', 'SIGNAL', 'DECISION', 'BY', 'ID', 'DETAIL']
/** --json shows everything. */
const DETAIL_CHARS = 200
const NAME_CHARS = 40

export async function signals({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openToRead(options)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const [, id] = args
    const decisions = id === undefined ? await handle.signalDecisions() : [await handle.signalDecision(id)]
    if (options.json) for (const one of decisions) terminal.json(one)
    else if (decisions.length === 0) terminal.line('no signal was decided on')
    else printTable(terminal, HEADING, decisions.map(cellsOf))
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

function cellsOf(one: SignalDecision): readonly string[] {
  const { runSeq, signalType, decision, signalId, audit } = one
  return [
    String(runSeq),
    timeOfDay(msFromIso(audit.timestamp) ?? 0),
    signalType,
    decision,
    oneLine(audit.actorId ?? '', NAME_CHARS),
    signalId,
    oneLine(detailOf(one), DETAIL_CHARS),
  ]
}

function detailOf({ decision, applied, reasonCode, reason, audit }: SignalDecision): string {
  if (decision === 'REJECTED') return `${reasonCode ?? ''}: ${reason ?? ''}`
  const why = audit.reason ?? ''
  return applied === false ? `it changed nothing${why === '' ? '' : `; ${why}`}` : why
}
