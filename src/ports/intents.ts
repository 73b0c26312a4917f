/**
 * A local place for what a process means to do while its store does not answer (LAT-07). It needs nothing but the machine's
 * own disk; lines are opaque to it.
 */
export interface IntentBuffer {
  /** On disk before it resolves. */
  append(line: string): Promise<void>
  /** Everything this process has noted is dealt with: none of it is left behind. */
  clear(): Promise<void>
  /** What processes that ended or died have left; each of them is read and then removed. */
  leftBehind(): Promise<readonly LeftIntents[]>
  /** Keeps the word about an intent that no longer fitted, for people. */
  setAside(line: string): Promise<void>
}

export interface LeftIntents {
  /** Whole lines; one that a crash tore may be among them. */
  lines(): AsyncIterable<string>
  remove(): Promise<void>
}
