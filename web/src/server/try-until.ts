/** Asks again what a page needs to show anything, while the server is away or busy: nobody should have to load the page anew. */
import { KeelsonError } from '../../../src/core/problems/problem.ts'

const AGAIN_MS = 2_000

/** `told` hears each failure; a refusal that stays is the last one. */
export async function tryUntil(
  work: () => Promise<unknown>,
  signal: AbortSignal,
  told: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work()
      return
    } catch (error) {
      if (signal.aborted) return
      told(error)
      if (!(error instanceof KeelsonError) || !error.problems[0].retryable) return
    }
    await new Promise<void>((resolve) => void setTimeout(resolve, AGAIN_MS))
  }
}
