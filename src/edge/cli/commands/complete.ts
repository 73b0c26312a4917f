/** `keelson complete`: the outcome of a manual task, by its token or, here where the keys lie, by its step. */
import { didYouMean } from '../../../core/plan/reading.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { RunHandle } from '../../../main.ts'
import type { Call } from '../command.ts'
import { reachable } from '../engine-choice.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { howToDrive, isDriven } from '../run-lease.ts'
import { shortId } from '../output/format.ts'
import { valueOf } from '../run-input.ts'
import { openExisting } from '../session.ts'

const OUTCOMES = ['Succeeded', 'Failed', 'Cancelled'] as const

function outcomeOf(text: string | undefined): (typeof OUTCOMES)[number] {
  if (text === undefined) return fail('USAGE', `--outcome is missing; it is one of ${OUTCOMES.join(', ')}`)
  const found = OUTCOMES.find((one) => one.toLowerCase() === text.toLowerCase())
  return (
    found ??
    fail('USAGE', `'${text}' is not an outcome; it is one of ${OUTCOMES.join(', ')}`, didYouMean(text, OUTCOMES))
  )
}

async function tokenOf(handle: RunHandle, name: string): Promise<string> {
  if (name.includes('.') && name.length > 64) return name
  const open = await handle.tasks()
  const named = open.find((task) => task.slot === name)
  if (named !== undefined) return named.token
  const slots = open.map((task) => task.slot)
  return fail(
    'TASK_NOT_OPEN',
    `run ${shortId(handle.runId)} has no open task '${name}'${slots.length === 0 ? '' : `; open: ${slots.join(', ')}`}`,
  )
}

export async function complete({ args, options, terminal }: Call): Promise<number> {
  const outcome = outcomeOf(options.text('outcome'))
  const keelson = await openExisting(options, await reachable(options))
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const notes = options.text('notes')
    const evidenceRefs = options.list('evidence')
    const result = options.text('result')
    const answer = await handle.completeTask({
      completionToken: await tokenOf(handle, args[1] ?? ''),
      outcome,
      actorUserId: options.text('as') ?? 'local',
      ...(notes === undefined ? {} : { notes }),
      ...(evidenceRefs.length === 0 ? {} : { evidenceRefs }),
      ...(result === undefined ? {} : { result: valueOf(result, '--result') }),
    })
    const driven = isDriven(handle.row)
    if (options.json) terminal.json({ runId: handle.runId, outcome, ...answer, driven })
    else if (answer.kind === 'repeat') terminal.line('this task was completed before; the first outcome stands')
    else if (answer.kind === 'conflict')
      terminal.line(`this task was completed otherwise before; its outcome ${answer.outcome ?? ''} stands`)
    else
      terminal.line(
        `${outcome} recorded for run ${shortId(handle.runId)}${driven ? '' : `; nobody drives it: ${howToDrive(handle.row)} goes on with it`}`,
      )
    return answer.kind === 'conflict' ? EXIT.refused : EXIT.completed
  } finally {
    await keelson.close()
  }
}
