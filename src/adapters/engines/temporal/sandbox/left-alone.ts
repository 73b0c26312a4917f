/** A worker that cannot judge a run leaves it alone, and says so by the type of its failure: nothing was lost. */
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow'
import { LEFT_ALONE } from './wire.ts'

/** How long until what no worker could judge is tried again. */
export const LEFT_ALONE_MS = 5_000

/** Every worker that was asked left it alone. */
export function isLeftAlone(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  return cause instanceof ApplicationFailure && LEFT_ALONE.includes(cause.type ?? '')
}
