/** `keelson complete`: the outcome of a manual task, by its token or, where the keys are available, by its step. */
import type { TaskFor } from '../../../app/steer/tasks-for.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isProblemCode } from '../../../core/problems/registry.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { openToMove, type MovableRun } from '../open/session.ts'
import { howToDrive, isDriven } from '../drive/run-lease.ts'
import { oneLine, shortId } from '../terminal/format.ts'
import { SEEN_CHARS, seenOf } from '../output/task-news.ts'
import { valueOf } from '../files/run-input.ts'

const OUTCOMES = ['Succeeded', 'Failed', 'Cancelled'] as const

function outcomeOf(text: string | undefined): (typeof OUTCOMES)[number] {
  if (text === undefined) return fail('USAGE', `--outcome is missing; it is one of ${OUTCOMES.join(', ')}`)
  const found = OUTCOMES.find((one) => one.toLowerCase() === text.toLowerCase())
  return (
    found ??
    fail('USAGE', `'${text}' is not an outcome; it is one of ${OUTCOMES.join(', ')}`, didYouMean(text, OUTCOMES))
  )
}

/** A token as a server gives it out. */
const WRAPPED = /^[\w-]{65,}$/

async function tokenOf(handle: MovableRun, name: string, seen: string | undefined): Promise<string> {
  if (name.includes('.') && name.length > 64) return name
  const open = await handle.tasks()
  const named = open.find((task) => task.slot === name)
  if (named !== undefined) return tokenOfSeen(named, seen)
  if (WRAPPED.test(name)) return name
  const slots = open.map((task) => task.slot)
  return fail(
    'TASK_NOT_OPEN',
    `run ${shortId(handle.runId)} has no open task '${name}'${slots.length === 0 ? '' : `; open: ${slots.join(', ')}`}`,
  )
}

/**
 * By its step a task is completed as it was opened. After a change it is another one, and whoever completes it says which one they
 * saw: the beginning of its token, as `tasks` shows it.
 */
function tokenOfSeen({ slot, token, mayNot, changed = [] }: TaskFor, seen: string | undefined): string {
  // A server gives no token to whom it would refuse, and says why.
  if (token === undefined) {
    const { code = '', why = `'${slot}' is not yours to complete` } = mayNot ?? {}
    return fail(isProblemCode(code) ? code : 'SERVER_REFUSED', why)
  }
  const look = { hint: 'look at it again with `keelson tasks`, and complete what you see with --seen' }
  if (seen === undefined && changed.length === 0) return token
  if (seen === undefined)
    return fail('TASK_CHANGED', `what '${slot}' asks for was changed after it was opened (${changed.length})`, look)
  if (seen.length < SEEN_CHARS) return fail('USAGE', `--seen takes the ${SEEN_CHARS} characters that tasks shows`)
  return seenOf(token) === seen.slice(0, SEEN_CHARS) || token === seen
    ? token
    : fail('TASK_CHANGED', `'${slot}' is not the task that you saw as ${oneLine(seen, SEEN_CHARS)}`, look)
}

export async function complete({ args, options, terminal }: Call): Promise<number> {
  const outcome = outcomeOf(options.text('outcome'))
  const keelson = await openToMove(options, { reachesEngines: true })
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const notes = options.text('notes')
    const evidenceRefs = options.list('evidence')
    const roles = options.list('role')
    const result = options.text('result')
    const answer = await handle.completeTask({
      completionToken: await tokenOf(handle, args[1] ?? '', options.text('seen')),
      outcome,
      actorUserId: options.text('as') ?? 'local',
      ...(roles.length === 0 ? {} : { actorRoles: roles }),
      ...(notes === undefined ? {} : { notes }),
      ...(evidenceRefs.length === 0 ? {} : { evidenceRefs }),
      ...(result === undefined ? {} : { result: resultOf(result) }),
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

/** A plain word is text; text that begins like JSON must be JSON, because a completion counts only once. */
function resultOf(text: string): unknown {
  const value = valueOf(text, '--result')
  if (value === text && /^\s*[[{"]/.test(text))
    fail('USAGE', '--result looks like JSON but is not valid JSON', { hint: 'check the quotes that your shell needs' })
  return value
}
