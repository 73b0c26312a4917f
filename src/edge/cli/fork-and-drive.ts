/** A new run from an ended one's results, with the functions the old one had, shown to its end like any other. */
import { fail } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/transitions.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { anchorHeads } from './anchor-heads.ts'
import type { Options } from './command.ts'
import { driveOne } from './drive-one.ts'
import { engineOfRun } from './engine-choice.ts'
import { Doorbell } from './follow.ts'
import { forkWarnings } from './fork-warnings.ts'
import { allowedHosts, outside } from './outside.ts'
import { tellForkPreview } from './output/fork-preview.ts'
import { isDriven } from './run-lease.ts'
import { openExisting } from './session.ts'
import { recallSource, rememberSource } from './sources.ts'
import { findStepsFile, loadSteps } from './steps-file.ts'
import type { Terminal } from './terminal.ts'

export interface Forking {
  /** The ended run. */
  readonly row: RunRow
  /** The RETRY_RUN that asked for it; the same signal forks once. */
  readonly signalId?: string
  readonly options: Options
  readonly terminal: Terminal
}

export async function forkAndDrive({ row: old, signalId, options, terminal }: Forking): Promise<number> {
  const source = recallSource(options.dir, old)
  const isElsewhere = old.engineType === 'temporal' && options.flag('clientOnly')
  const path = isElsewhere ? undefined : findStepsFile(options.text('steps') ?? source?.steps, ['.'])
  const steps = await loadSteps(path)
  const doorbell = new Doorbell()
  const keelson = await openExisting(options, {
    steps: steps.functions,
    ...(path === undefined ? {} : { stepsModule: path }),
    ...outside(options, source),
    ...(await engineOfRun(old, options)),
    onProgress: (runKey) => doorbell.ring(runKey),
  })
  try {
    for (const warning of await forkWarnings(keelson, await keelson.run(old.runId)))
      terminal.errorLine(`${terminal.errorPaint.yellow('!')} ${warning}`)
    const from = options.text('from')
    const atSeq = atEvent(options)
    const what = { ...(from === undefined ? {} : { from }), ...(atSeq === undefined ? {} : { atSeq }) }
    const preview = await keelson.previewFork(old.runId, what)
    const handle = await keelson.fork(old.runId, {
      ...what,
      ...(signalId === undefined ? {} : { signalId }),
      ...(options.flag('repeatIrreversible') ? { repeatIrreversible: true } : {}),
    })
    if (!options.json) tellForkPreview(preview, terminal)
    if (source !== undefined)
      rememberSource(options.dir, handle.row, {
        ...source,
        ...(path === undefined ? {} : { steps: path }),
        allow: allowedHosts(options, source),
      })
    const left = handle.existed && !isTerminalRun(handle.row.status) && !isDriven(handle.row)
    if (left) await keelson.adopt(handle.runId)
    const code = await driveOne({ keelson, handle, doorbell, interrupt: 'cancel', isElsewhere, options, terminal })
    await anchorHeads(keelson, options, terminal)
    return code
  } finally {
    await keelson.close()
  }
}

function atEvent(options: Options): number | undefined {
  const at = options.whole('at')
  return at === 0 ? fail('USAGE', '--at takes the number of an event, from 1') : at
}
