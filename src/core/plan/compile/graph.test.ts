/** The compiled graph: dispatch rank, edges, and when a plan is a sequence. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { graphOf } from '../../../../test/fixtures/scenario.ts'
import { compareCodePoints, compareSteps } from './graph.ts'
import { SEED as seed } from '../../../../test/setup/seed.ts'

const stepId = fc.stringMatching(/^[A-Za-z0-9_.-]{1,6}$/)

describe('dispatch order', () => {
  it('is order first, then stepId by code point, whatever the list was [GRF-06]', () => {
    const sorted = [
      { order: 1, stepId: 'z' },
      { order: 2, stepId: 'B' },
      { order: 2, stepId: 'a10' },
      { order: 2, stepId: 'a2' },
      { order: 3, stepId: 'A' },
    ]
    fc.assert(
      fc.property(fc.shuffledSubarray(sorted, { minLength: sorted.length }), (shuffled) => {
        expect([...shuffled].sort(compareSteps)).toEqual(sorted)
      }),
      { seed },
    )
  })

  it('compares ids as numbers of their characters, where a locale would not [GRF-06, X-60]', () => {
    expect(compareCodePoints('B', 'a')).toBe(-1)
    expect('B'.localeCompare('a', 'en')).toBe(1)
    expect(compareCodePoints('a10', 'a2')).toBe(-1)
    expect('a10'.localeCompare('a2', 'en', { numeric: true })).toBe(1)
    fc.assert(
      fc.property(stepId, stepId, (a, b) => {
        expect(compareCodePoints(a, b)).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))) + 0)
        expect(compareCodePoints(b, a) + compareCodePoints(a, b)).toBe(0)
      }),
      { seed },
    )
  })
})

describe('edges', () => {
  it('of a plan without dependsOn are the sequence itself [X-60]', () => {
    const graph = graphOf(
      'steps: [{ id: c, order: 2, run: f }, { id: a, order: 3, run: f }, { id: b, order: 1, run: f }]',
    )
    expect(graph.sequential).toBe(true)
    expect(graph.steps.map((step) => step.stepId)).toEqual(['b', 'c', 'a'])
    expect(graph.dependencies).toEqual([[], [0], [1]])
    expect(graph.dependents).toEqual([[1], [2], []])
  })

  it('of a graph are what the steps say, and a step without any is a root [X-60]', () => {
    const graph = graphOf(
      'steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [a] }, { id: c, run: f }]',
    )
    expect(graph.sequential).toBe(false)
    expect(graph.dependencies).toEqual([[], [0], []])
    expect(graph.dependents).toEqual([[1], [], []])
  })

  it('place the fallbacks of plain steps behind all steps; those of items come with their expansion', () => {
    const graph = graphOf(
      `steps:
        - { id: a, run: f, fallback: { run: g } }
        - { id: b, run: f }
        - { id: c, run: f, forEach: 'input.list', fallback: { run: g } }
        - { id: d, run: f, fallback: { run: g } }`,
    )
    expect(graph.fallbackIndex).toEqual([4, -1, -1, 5])
  })
})
