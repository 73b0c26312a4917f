/** The corpus, played: on the engines that need no server, and on one engine with other habits. */
import { describe, expect, it } from 'vitest'
import { compareEngines } from '../../src/app/conformance/compare-engines.ts'
import { keelsonEngine, PLAYING } from '../../src/conformance-engines.ts'
import { CORPUS, engineOf, playOn } from './played.ts'

const MINUTES = 120_000

describe('the corpus', () => {
  it(
    'comes out as it expects, alike on embedded and on mock: each slot, each demanded order, each hash [ADP-04]',
    { timeout: MINUTES },
    async () => {
      const report = await compareEngines([await engineOf('embedded'), await engineOf('mock')], CORPUS, {
        ...PLAYING,
        atOnce: 4,
      })
      expect(report.differences).toEqual([])
      expect(report).toEqual({ plans: CORPUS.length, equal: CORPUS.length, different: 0, differences: [] })
    },
  )

  it('comes out alike where the engine polls seldom and has few places for steps', { timeout: MINUTES }, async () => {
    const busy = keelsonEngine('embedded, seldom polled', () => ({ pollMs: 300, maxSteps: 3, leaseMs: 3_000 }))
    const quick = CORPUS.filter(({ name }) => name !== 'cancel-ignored')
    const report = await compareEngines([await engineOf('mock'), busy], quick, { ...PLAYING, atOnce: 4 })
    expect(report.differences).toEqual([])
  })

  it(
    'comes out on the mock engine twice as one sequence of events, ids and times aside [ADP-03]',
    { timeout: MINUTES },
    async () => {
      for (const entry of CORPUS) {
        const [first, second] = [await playOn('mock', entry), await playOn('mock', entry)]
        expect(
          second.runs.map(({ name, events }) => ({ name, events })),
          entry.name,
        ).toEqual(first.runs.map(({ name, events }) => ({ name, events })))
        expect(second.hash).toBe(first.hash)
      }
    },
  )
})

const GOLDEN = {
  'fail-fast-with-a-branch': 'FAILED',
  'manual-succeeded': 'COMPLETED',
  'manual-failed': 'FAILED',
  'manual-cancelled': 'FAILED',
  'attempt-timeout': 'COMPLETED',
  'attempt-timeout-by-policy': 'FAILED',
  compensation: 'FAILED',
  'compensation-with-a-failing-hook': 'FAILED',
} as const

it('has equal dispatch lists, hook order and final status in the golden plans of actions on embedded and mock [ADP-07]', async () => {
  const golden = CORPUS.filter(({ proves = [] }) => proves.includes('ADP-07'))
  expect(golden.map(({ name }) => name).sort()).toEqual(Object.keys(GOLDEN).sort())
  for (const entry of golden) {
    const [left, right] = [await playOn('embedded', entry), await playOn('mock', entry)]
    expect(left.status).toBe(GOLDEN[entry.name as keyof typeof GOLDEN])
    expect(right.status).toBe(left.status)
    expect(startsOf(right, 'StepStarted').sort()).toEqual(startsOf(left, 'StepStarted').sort())
    expect(startsOf(right, 'CompensationStarted')).toEqual(startsOf(left, 'CompensationStarted'))
  }
  const failing = await playOn('embedded', golden.find(({ name }) => name.endsWith('failing-hook')) ?? fail())
  expect(startsOf(failing, 'CompensationStarted')).toEqual([
    'COMP:third#1',
    'COMP:third#2',
    'COMP:second#1',
    'COMP:second#2',
    'COMP:first#1',
  ])
})

function fail(): never {
  throw new Error('the entry is gone')
}

function startsOf({ runs }: Awaited<ReturnType<typeof playOn>>, eventType: string): string[] {
  return runs.flatMap(({ events }) =>
    events.filter((event) => event.eventType === eventType).map(({ slot, attempt }) => `${slot}#${attempt}`),
  )
}
