/** `keelson queue approve` and `queue reject`: a person's decision about a run that waits in the queue for it. */
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { Decided } from '../../../library/act/run-queue.ts'
import type { Act, Call } from '../terminal/command.ts'
import { EXIT, exitOfStatus } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { openToMove, type MovableRun, type MovableRuns } from '../open/session.ts'
import { shortId } from '../terminal/format.ts'

type Word = (
  keelson: MovableRuns,
  handle: MovableRun,
  by: { readonly actorId?: string },
  call: Call,
) => Promise<Decided>

export const queueApprove: Act = (call) =>
  decide(call, 'approved', (keelson, { runId }, by) => keelson.queue.approve(runId, by))

export const queueReject: Act = (call) =>
  decide(call, 'rejected', (keelson, { runId }, by, { options }) => {
    const reason = options.text('reason')
    return keelson.queue.reject(runId, { ...by, ...(reason === undefined ? {} : { reason }) })
  })

async function decide(call: Call, word: string, say: Word): Promise<number> {
  const { args, options, terminal } = call
  const keelson = await openToMove(options, { reachesEngines: false })
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const actorId = options.text('as')
    const decided = await say(keelson, handle, actorId === undefined ? {} : { actorId }, call)
    const { runId, status } = decided
    const isLost = word === 'approved' && isTerminalRun(status) && !(await wasApproved(handle))
    if (options.json) terminal.json(decided)
    else if (isLost) terminal.line(`run ${shortId(runId)} is not approved: it is ${status} by what was said before`)
    else if (status === 'PENDING')
      terminal.line(`${word} is in the inbox of run ${shortId(runId)}; another process has the run and takes it next`)
    else terminal.line(`run ${shortId(runId)} is ${word}`)
    if (!options.json && status === 'APPROVED')
      terminal.line(`  start      ${terminal.paint.cyan(`keelson queue start ${shortId(runId)}`)}`)
    return isLost ? exitOfStatus(status) : EXIT.completed
  } finally {
    await keelson.close()
  }
}

/** A cancellation in its inbox was taken before the approval, which then approved nothing. */
async function wasApproved(handle: MovableRun): Promise<boolean> {
  return (await handle.records()).some(({ eventType }) => eventType === 'RunApproved')
}
