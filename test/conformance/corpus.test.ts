/** The corpus, played: on the engines that need no server, and on one engine with other habits. */
import { describe, expect, it } from 'vitest'
import { compareEngines } from '../../src/app/conformance/compare-engines.ts'
import { keelsonEngine, PLAYING } from '../../src/compose/conformance-engines.ts'
import { expectGoldenActions } from './golden-actions.ts'
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

it('has equal dispatch lists, order of compensations and final status in the golden plans of actions on embedded and mock [ADP-07]', async () => {
  await expectGoldenActions(await engineOf('embedded'), await engineOf('mock'))
})
