/**
 * `keelson retry`: of a live run the failed step is tried again; of an ended one a new run takes over what still
 * stands (retry-run). One word for what a person means after a failure.
 */
import { fail } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import { snapshotOf } from '../../../core/view/show/snapshot-of.ts'
import { findRun } from '../open/find-run.ts'
import { openToRead } from '../open/reading.ts'
import { watchRun } from '../progress/run-watch.ts'
import type { Call, Options } from '../terminal/command.ts'
import { shortId } from '../terminal/format.ts'
import { signal } from './signal.ts'

export async function retry(call: Call): Promise<number> {
  const { args, options } = call
  const { runId, ended, failed } = await lookAt(options, args[0] ?? '')
  const step = args[1]
  if (ended)
    return signal({
      ...call,
      args: [runId, 'retry-run'],
      options: step === undefined ? options : given(options, 'from', step),
    })
  const [only, second] = failed
  if (step === undefined && (only === undefined || second !== undefined)) {
    const which = failed.map((one) => `keelson retry ${shortId(runId)} ${one}`).join(', ')
    return fail(
      'USAGE',
      only === undefined ? 'no step of this run has failed' : `more than one step has failed: ${which}`,
    )
  }
  return signal({ ...call, args: [runId, 'retry-step'], options: given(options, 'step', step ?? only ?? '') })
}

/** The options with one more. */
function given(options: Options, name: string, value: string): Options {
  return { ...options, text: (asked) => (asked === name ? value : options.text(asked)) }
}

async function lookAt(
  options: Options,
  name: string,
): Promise<{ readonly runId: string; readonly ended: boolean; readonly failed: readonly string[] }> {
  const keelson = await openToRead(options)
  try {
    const handle = await findRun(keelson, name)
    const watch = await watchRun(handle)
    await watch.pump()
    const { status, steps } = snapshotOf(watch.view)
    const failed = steps.filter(
      (step) => step.status === 'FAILED' && step.role === undefined && step.recovered !== true,
    )
    return { runId: handle.runId, ended: isTerminalRun(status), failed: failed.map(({ stepId }) => stepId) }
  } finally {
    await keelson.close()
  }
}
