/** Planted differences: any change in one of two equal logs is found and shown with its surroundings. */
import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../events/event.ts'
import type { Plan } from '../plan/plan.ts'
import { canonicalRuns, projection, type LoggedRun } from './canonical-log.ts'
import { comparePlays, type Difference } from './compare-plays.ts'

const PLAN = {
  metadata: { planId: 'order' },
  steps: [
    { stepId: 'a', dependsOn: [] },
    { stepId: 'b', dependsOn: [] },
    { stepId: 'c', dependsOn: ['a', 'b'] },
  ],
} as unknown as Plan

type Fields = Readonly<Record<string, unknown>>
type Line = readonly [eventType: string, stepId: string | undefined, payload: Fields, more?: Fields]

const LOG: readonly Line[] = [
  ['RunStarted', undefined, { status: 'RUNNING' }],
  ['StepStarted', 'a', {}],
  ['StepStarted', 'b', {}],
  ['StepCompleted', 'a', { artifactRefs: [] }, { data: { result: { total: 3 } } }],
  ['StepCompleted', 'b', { artifactRefs: [] }],
  ['StepStarted', 'c', {}],
  ['StepCompleted', 'c', { artifactRefs: [] }],
  ['RunCompleted', undefined, { artifactRefs: [] }],
]

/** Ids, times, numbers and the engine's own names differ in every log. */
function logOf(lines: readonly Line[], own: number): LoggedRun {
  const records = lines.map(([eventType, stepId, payload, more = {}], index) => ({
    eventId: `event-${own}-${index}`,
    eventType,
    runId: `run-${own}`,
    runSeq: index * own + 1,
    ...(stepId === undefined ? {} : { stepId }),
    logicalAttemptId: 1,
    engineAttemptId: own,
    emittedAt: `2030-01-0${own}T00:00:00Z`,
    chainHash: String(own).repeat(64),
    payload: {
      ...payload,
      startedAt: `2030-01-0${own}T00:00:00Z`,
      epoch: own,
      durationMs: own,
      engineType: own === 1 ? 'embedded' : 'temporal',
      engineRunRef: `engine://${own}`,
    },
    ...more,
  }))
  return { runId: `run-${own}`, plan: PLAN, records: records as unknown as readonly LogRecord[] }
}

function compare(left: readonly Line[], right: readonly Line[]): Difference | undefined {
  return comparePlays(canonicalRuns([logOf(left, 1)], []), canonicalRuns([logOf(right, 2)], []))
}

function swapped(first: number, second: number): readonly Line[] {
  const lines = [...LOG]
  ;[lines[first], lines[second]] = [LOG[second] as Line, LOG[first] as Line]
  return lines
}

describe('two logs', () => {
  it('are equal, and so is what is hashed of them, when only ids, times, numbers and engine names differ [ADP-04]', () => {
    expect(compare(LOG, LOG)).toBeUndefined()
    const plain = (own: number): unknown => projection(canonicalRuns([logOf(LOG, own)], []))
    expect(plain(2)).toEqual(plain(1))
  })

  it('are equal when independent steps come in another order', () => {
    expect(compare(LOG, swapped(1, 2))).toBeUndefined()
    expect(compare(LOG, swapped(3, 4))).toBeUndefined()
  })

  it('differ when a step comes before what it depends on', () => {
    const found = compare(LOG, swapped(4, 5))
    expect(found).toMatchObject({ kind: 'order', run: 'run' })
    expect(found?.left.found).toBe('StepCompleted b#1 < StepStarted c#1')
    expect(found?.right.found).toBe('StepCompleted b#1 > StepStarted c#1')
    expect(found?.left.around).toContain('> 5 StepCompleted b#1')
    expect(found?.right.around).toContain('> 6 StepCompleted b#1')
  })

  it('differ when an event is missing, and both surroundings are shown', () => {
    const found = compare(
      LOG,
      LOG.filter((line) => line !== LOG[3]),
    )
    expect(found).toMatchObject({ kind: 'event', slot: 'a' })
    expect(found?.message).toBe('StepCompleted a#1 is in the left log only')
    expect(found?.left.around).toEqual([
      '  1 RunStarted RUN#1',
      '  2 StepStarted a#1',
      '  3 StepStarted b#1',
      '> 4 StepCompleted a#1',
      '  5 StepCompleted b#1',
      '  6 StepStarted c#1',
      '  7 StepCompleted c#1',
    ])
    expect(found?.right.found).toBeUndefined()
    expect(found?.right.around).toContain('> 2 StepStarted a#1')
  })

  it('differ when an event is one too many, or another', () => {
    const twice = [...LOG.slice(0, 7), LOG[6] as Line, ...LOG.slice(7)]
    expect(compare(LOG, twice)?.message).toBe('StepCompleted c#1 is in the right log only')
    const other = LOG.map((line, index): Line => (index === 4 ? ['StepFailed', 'b', { final: true }] : line))
    expect(compare(LOG, other)?.message).toBe('StepCompleted b#1 on the left, StepFailed b#1 on the right')
  })

  it('differ when a payload or a result is another, and the field is named', () => {
    const changed = (payload: Fields, more: Fields): readonly Line[] =>
      LOG.map((line, index): Line => (index === 3 ? ['StepCompleted', 'a', payload, more] : line))
    expect(compare(LOG, changed({ artifactRefs: [] }, { data: { result: { total: 4 } } }))).toMatchObject({
      kind: 'payload',
      message: 'StepCompleted a#1 differs in data.result.total',
    })
    const flagged = changed({ artifactRefs: [], mayHaveRunTwice: true }, { data: { result: { total: 3 } } })
    expect(compare(LOG, flagged)?.message).toBe('StepCompleted a#1 differs in payload.mayHaveRunTwice')
  })

  it('differ when a time is there on one side only', () => {
    const retried = LOG.map((line, index): Line => (index === 4 ? ['StepCompleted', 'b', { retryAt: 'x' }] : line))
    const plain = LOG.map((line, index): Line => (index === 4 ? ['StepCompleted', 'b', {}] : line))
    expect(compare(retried, plain)?.message).toBe('StepCompleted b#1 differs in payload.retryAt')
  })

  it('differ when a step starts during a pause on one side only', () => {
    const paused = (at: number): readonly Line[] => [
      ...LOG.slice(0, at),
      ['RunPaused', undefined, {}],
      ...LOG.slice(at, 6),
      ['RunResumed', undefined, {}],
      ...LOG.slice(6),
    ]
    expect(compare(paused(6), paused(5))).toMatchObject({ kind: 'order' })
    expect(compare(paused(6), paused(5))?.right.found).toBe('StepStarted c#1 while paused')
  })
})

it('plays differ when a child run is there on one side only', () => {
  const child = { ...logOf(LOG, 3), parent: { runId: 'run-1', slot: 'a', attempt: 1 } }
  const left = canonicalRuns([logOf(LOG, 1), child], [])
  const right = canonicalRuns([logOf(LOG, 2)], [])
  expect(comparePlays(left, right)).toMatchObject({ kind: 'run', run: 'run/a#1', left: { found: 'it is there' } })
})

it('a time given by its name, an id of the play and a stack trace are not compared; an error text is', () => {
  const failed = (own: number, message: string): readonly Line[] => [
    ['RunStarted', undefined, {}],
    [
      'StepFailed',
      'a',
      { failedAt: `t${own}`, error: { code: 'BROKEN' }, rootCause: { runSeq: own } },
      { data: { errorText: { message: `run-${own} ${message}`, stackTrace: `at line ${own}` } } },
    ],
  ]
  expect(compare(failed(1, 'broke'), failed(2, 'broke'))).toBeUndefined()
  expect(compare(failed(1, 'broke'), failed(2, 'stopped'))?.message).toContain('data.errorText.message')
})
