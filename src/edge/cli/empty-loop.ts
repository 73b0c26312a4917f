/**
 * Tells when nothing is left that could still happen in this process: whoever waits then waits for ever. The last to ask is
 * the one told, because it is what the others wait for.
 */
const asked: (() => void)[] = []

function tell(): void {
  asked.at(-1)?.()
}

/** Node would end with exit code 13, or with 0 as if all were done. The answer stops listening. */
export function whenLoopRunsEmpty(listener: () => void): () => void {
  if (asked.length === 0) process.on('beforeExit', tell)
  asked.push(listener)
  return () => {
    const at = asked.lastIndexOf(listener)
    if (at >= 0) asked.splice(at, 1)
    if (asked.length === 0) process.off('beforeExit', tell)
  }
}
