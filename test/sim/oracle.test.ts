/** The judge is judged: logs that were tampered with in one place must not pass, and untouched ones must. */
import { describe, expect, it } from 'vitest'
import { SEED } from './default-run.ts'
import { seedOf, withoutStacks } from './explore.ts'
import { runHistory } from './history.ts'
import { expectedKey, type LogEvent } from './oracle-tables.ts'
import { RunOracle } from './oracle.ts'
import type { RunTrack } from './run-track.ts'
import { makeScenario } from './scenario.ts'

async function someTracks(): Promise<readonly RunTrack[]> {
  const restore = withoutStacks()
  const tracks: RunTrack[] = []
  for (let index = 0; tracks.length < 60; index += 1) {
    const { world } = await runHistory({ ...makeScenario(seedOf(SEED, index)), burn: 0 })
    tracks.push(...world.tracks.values())
  }
  restore()
  return tracks
}

/** Complaints of a fresh oracle about these events, each an append of its own. */
function judge(track: RunTrack, events: readonly LogEvent[]): readonly string[] {
  const complaints: string[] = []
  const oracle = new RunOracle(track.plan.plan, track.witness, (what) => complaints.push(what))
  for (const event of events)
    oracle.take(event, { epoch: Number(event.payload['epoch'] ?? 1), firstSeq: event.decision.firstSeq })
  return complaints
}

/** The log as it would be numbered and keyed if it had been written so. */
function renumbered(events: readonly LogEvent[]): readonly LogEvent[] {
  return events.map((event, index) => {
    const moved = { ...event, runSeq: index + 1, decision: { firstSeq: index + 1, cause: event.decision.cause } }
    return { ...moved, idempotencyKey: expectedKey(moved) }
  })
}

const isA =
  (...types: readonly string[]) =>
  (event: LogEvent): boolean =>
    types.includes(event.eventType)

/** Each gives the tampered log, or undefined where the log has nothing to tamper with. */
const TAMPERINGS: Readonly<Record<string, (events: readonly LogEvent[]) => readonly LogEvent[] | undefined>> = {
  'a completion without a start': (events) => without(events, isA('StepStarted')),
  'a second completion': (events) => twice(events, isA('StepCompleted')),
  'a start of the same attempt twice': (events) => twice(events, isA('StepStarted')),
  'an event after the end': (events) => [...events, ...events.filter(isA('RunStarted'))],
  'a run that starts before it is approved': (events) => without(events, isA('RunApproved')),
  'a start that does not say what it holds': (events) => {
    const at = events.findIndex((event) => event.payload['grants'] !== undefined)
    return at < 0
      ? undefined
      : events.map((event, index) =>
          index === at ? { ...event, payload: { ...event.payload, grants: undefined } } : event,
        )
  },
  'a resume without a pause': (events) =>
    events.some(isA('RunResumed')) ? without(events, isA('RunPaused')) : undefined,
  'a time that goes back': (events) =>
    events.length < 3
      ? undefined
      : events.map((event, index) => (index === events.length - 1 ? { ...event, at: 0 } : event)),
}

function without(events: readonly LogEvent[], which: (event: LogEvent) => boolean): readonly LogEvent[] | undefined {
  const at = events.findIndex(which)
  return at < 0 ? undefined : events.filter((_event, index) => index !== at)
}

function twice(events: readonly LogEvent[], which: (event: LogEvent) => boolean): readonly LogEvent[] | undefined {
  const at = events.findIndex(which)
  const event = events[at]
  return event === undefined ? undefined : [...events.slice(0, at + 1), event, ...events.slice(at + 1)]
}

describe('the oracle', async () => {
  const tracks = await someTracks()

  it('has nothing to say about what the product wrote', () => {
    expect(tracks.flatMap((track) => judge(track, track.events))).toEqual([])
  })

  it.each(Object.entries(TAMPERINGS))('notices %s', (_name, tamper) => {
    const tampered = tracks.flatMap((track) => {
      const events = tamper(track.events)
      return events === undefined ? [] : [judge(track, renumbered(events))]
    })
    expect(tampered.length).toBeGreaterThan(0)
    expect(tampered.filter((complaints) => complaints.length === 0)).toEqual([])
  })
})
