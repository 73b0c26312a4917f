/** Shows a run while it moves: a redrawn picture, plain lines, or JSON. One interface, chosen once. */
import type { LogRecord } from '../../../core/events/event.ts'
import type { RunWatch } from './run-watch.ts'

export interface Progress {
  begin(watch: RunWatch, header: readonly string[]): void
  /** New records of a run that was begun. */
  update(watch: RunWatch, records: readonly LogRecord[]): void
  /** A message to the watching person, for example that a cancellation was requested. */
  note(text: string): void
  /** Called on a timer, for changes by time alone. */
  tick(): void
  end(): void
}
