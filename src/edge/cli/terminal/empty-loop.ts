/**
 * Reports when nothing more can happen in this process: then a waiting caller would wait for ever. The last to ask is
 * told, because the others wait for it.
 */
const asked: (() => void)[] = []

function tell(): void {
  asked.at(-1)?.()
}

/** Node would end with exit code 13, or with 0 as if all were done. Returns an unsubscribe function. */
export function whenLoopRunsEmpty(listener: () => void): () => void {
  if (asked.length === 0) process.on('beforeExit', tell)
  asked.push(listener)
  return () => {
    const at = asked.lastIndexOf(listener)
    if (at >= 0) asked.splice(at, 1)
    if (asked.length === 0) process.off('beforeExit', tell)
  }
}
