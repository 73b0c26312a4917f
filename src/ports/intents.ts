/**
 * A local place for what a process intends to do while its store does not answer (LAT-07). It needs only the machine's
 * own disk; lines are opaque to it.
 */
export interface IntentBuffer {
  /** On disk before it resolves. */
  append(line: string): Promise<void>
  /** Everything that this process has written is handled: nothing is left behind. */
  clear(): Promise<void>
  /** What ended or dead processes have left; each is read and then removed. */
  leftBehind(): Promise<readonly LeftIntents[]>
  /** Keeps a note for people about an intent that no longer fitted. */
  setAside(line: string): Promise<void>
}

export interface LeftIntents {
  /** Whole lines; one that a crash tore may be among them. */
  lines(): AsyncIterable<string>
  remove(): Promise<void>
}
