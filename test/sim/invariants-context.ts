/** Captured variables by a fold of the oracle's own, beside what the store holds of them. */
import type { RunTrack } from './run-track.ts'
import type { World } from './world.ts'
import type { Say } from './invariants.ts'

type TrackedEvent = RunTrack['events'][number]

/**
 * The events that first captured what one event stands for: itself, or those of the run it was taken over from, items and
 * all. What a fork wrote down for it is not believed.
 */
function capturing(world: World, event: TrackedEvent): readonly TrackedEvent[] {
  const from = event.payload['reusedFrom'] as { runId: string; runSeq: number } | undefined
  if (from === undefined) return [event]
  // What an item captured stands with its step, unless it was written down with the item.
  if (event.itemIndex !== undefined && event.payload['captures'] === undefined) return []
  const old = world.trackOf(from.runId)?.events ?? []
  // An item that was taken over by itself stands for itself alone.
  const isMeant = ({ itemIndex }: TrackedEvent): boolean =>
    event.itemIndex === undefined || itemIndex === event.itemIndex
  return old
    .filter((one) => one.eventType === 'StepCompleted' && one.stepId === event.stepId && one.runSeq <= from.runSeq)
    .filter(isMeant)
    .flatMap((one) => capturing(world, one))
}

/** Captured variables by a fold of the oracle's own: `last` is replaced, `seen` grows. */
export async function checkContext(world: World, track: RunTrack, say: Say): Promise<void> {
  const expected = new Map<string, unknown>()
  const completed = track.events.filter((event) => event.eventType === 'StepCompleted')
  for (const event of completed.flatMap((one) => capturing(world, one))) {
    const captures = (event.payload['captures'] ?? []) as readonly { path: string; mode: string }[]
    const values = (event.data['captureValues'] ?? []) as readonly unknown[]
    captures.forEach(({ path, mode }, index) => {
      const value = values[index]
      const before = expected.get(path)
      expected.set(path, mode === 'append' ? [...(Array.isArray(before) ? before : []), value] : value)
    })
  }
  const context = await world.store.readContext(track.runKey, Number.MAX_SAFE_INTEGER)
  for (const [path, value] of expected) {
    const stored = context.get(path)
    if (stored === undefined || canonical(stored) !== JSON.stringify(sorted(value)))
      say(`P-16 the variable ${path} is ${stored ?? 'missing'}`)
  }
}

/** Text of a JSON value whatever the order its keys were written in. */
export function canonical(text: string): string {
  return JSON.stringify(sorted(JSON.parse(text)))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, part]) => [name, sorted(part)]),
  )
}
