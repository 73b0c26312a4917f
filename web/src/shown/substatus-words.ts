/**
 * What the second word of a state means, and the mark of a copy that is behind. A word that this version does not know is shown all
 * the same, and says whose it is.
 */
/** By the part after the engine's name. */
const MEANINGS: Readonly<Record<string, string>> = {
  DRAINING: 'No new step starts. What is at work goes on to its end, then the pause is complete.',
  DRAIN_TIMED_OUT: 'The pause stands, but what was at work has not ended in the time that it had.',
  RETRYING: 'A step failed and waits for its next attempt.',
  WAITING_APPROVAL: 'It starts when somebody approves it.',
  CANCELLING: 'It was cancelled. What is at work is asked to stop.',
  COMPENSATING: 'It failed. What its steps did is undone, the last first.',
  HOLDING: 'A step failed and the run is kept open: somebody decides whether it is tried again or skipped.',
  STALE:
    'This page is behind the log: it shows the last state that it has, and reads the rest before it goes on. The run itself is not affected.',
  UNKNOWN: 'The engine does not say what the run is doing.',
}

export function meaningOf(word: string): string {
  const [engine, own] = word.includes('/') ? word.split(/\/(.*)/s) : [undefined, word]
  const known = Object.hasOwn(MEANINGS, own ?? '') ? MEANINGS[own ?? ''] : undefined
  if (known !== undefined) return known
  return engine === undefined
    ? 'This version has no explanation for this word.'
    : `A word of the engine ${engine}, as it wrote it.`
}
