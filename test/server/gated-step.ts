/** A step that has begun and goes on when the test says so. */
export interface GatedStep {
  readonly step: () => Promise<string>
  /** Resolves when the step is at work. */
  readonly begun: Promise<void>
  readonly open: () => void
}

export function onceGated(): GatedStep {
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const step = async (): Promise<string> => {
    begun.resolve()
    await gate.promise
    return 'done'
  }
  return { step, begun: begun.promise, open: () => gate.resolve() }
}
