/** The golden plans of actions (ADP-07), played on two engines: equal dispatch lists, order of compensations and final status. */
import { expect } from 'vitest'
import { playEntry, type Play } from '../../src/app/conformance/play-entry.ts'
import { PLAYING } from '../../src/compose/conformance-engines.ts'
import type { ConformanceEngine } from '../../src/ports/conformance.ts'
import { CORPUS } from './played.ts'

const GOLDEN = {
  'fail-fast-with-a-branch': 'FAILED',
  'manual-succeeded': 'COMPLETED',
  'manual-failed': 'FAILED',
  'manual-cancelled': 'FAILED',
  'attempt-timeout': 'COMPLETED',
  'attempt-timeout-by-policy': 'FAILED',
  compensation: 'FAILED',
  'compensation-that-fails': 'FAILED',
} as const

export async function expectGoldenActions(first: ConformanceEngine, other: ConformanceEngine): Promise<void> {
  const golden = CORPUS.filter(({ proves = [] }) => proves.includes('ADP-07'))
  expect(golden.map(({ name }) => name).sort()).toEqual(Object.keys(GOLDEN).sort())
  for (const entry of golden) {
    const [left, right] = [await playEntry(first, entry, PLAYING), await playEntry(other, entry, PLAYING)]
    expect(left.status).toBe(GOLDEN[entry.name as keyof typeof GOLDEN])
    expect(right.status).toBe(left.status)
    expect(startsOf(right, 'StepStarted').sort()).toEqual(startsOf(left, 'StepStarted').sort())
    expect(startsOf(right, 'CompensationStarted')).toEqual(startsOf(left, 'CompensationStarted'))
    if (entry.name === 'compensation-that-fails')
      expect(startsOf(left, 'CompensationStarted')).toEqual([
        'COMP:third#1',
        'COMP:third#2',
        'COMP:second#1',
        'COMP:second#2',
        'COMP:first#1',
      ])
  }
}

function startsOf({ runs }: Play, eventType: string): string[] {
  return runs.flatMap(({ events }) =>
    events.filter((event) => event.eventType === eventType).map(({ slot, attempt }) => `${slot}#${attempt}`),
  )
}
