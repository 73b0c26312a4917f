/** What shows a run while it moves: a redrawn picture, plain lines, or JSON. One interface, chosen once. */
import type { ForeignRecord } from '../../../core/events/event.ts'
import type { RunWatch } from '../run-watch.ts'

export interface Progress {
  begin(watch: RunWatch, header: string): void
  /** New records of a run that was begun. */
  update(watch: RunWatch, records: readonly ForeignRecord[]): void
  /** A word to the person watching, such as that a cancel was asked for. */
  note(text: string): void
  /** Called on a timer, for what changes with time alone. */
  tick(): void
  end(): void
}
