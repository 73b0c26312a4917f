/** Plans whose text is nested so deeply that a reader which calls itself runs out of stack: each is refused by its depth, at its place. */
import { describe, expect, it } from 'vitest'
import { KeelsonError, loadPlan } from '../../src/main.ts'

const HEAD = 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f, with: { x: '
const JSON_HEAD = '{"plan":"p","version":"1.0.0","steps":[{"id":"a","run":"f","with":{"x":'

const TEXTS: readonly (readonly [string, (levels: number) => string])[] = [
  ['lists in brackets', (levels) => `${HEAD}${'['.repeat(levels)}${']'.repeat(levels)} } }]`],
  ['objects in braces', (levels) => `${HEAD}${'{a: '.repeat(levels)}1${'}'.repeat(levels)} } }]`],
  ['brackets that are never closed', (levels) => `${HEAD}${'['.repeat(levels)}`],
  ['dashes on one line', (levels) => `plan: p\nversion: 1.0.0\nsteps:\n  ${'- '.repeat(levels)}1\n`],
  ['question marks', (levels) => `plan: p\nversion: 1.0.0\nx:\n  ${'? '.repeat(levels)}1\n`],
  ['brackets and nothing else', (levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`],
  ['lists in JSON', (levels) => `${JSON_HEAD}${'['.repeat(levels)}${']'.repeat(levels)}}}]}`],
  ['objects in JSON', (levels) => `${JSON_HEAD}${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}}]}`],
  ['lines, each further in', (levels) => blockOf(Math.min(levels, 1_500))],
]

function blockOf(levels: number): string {
  const lines = Array.from({ length: levels }, (_, level) => `${' '.repeat(level + 6)}a:`)
  return `plan: p\nversion: 1.0.0\nsteps:\n  - id: a\n    run: f\n    with:\n${lines.join('\n')} 1\n`
}

function refusal(text: string): KeelsonError {
  try {
    loadPlan(text)
  } catch (thrown) {
    if (thrown instanceof KeelsonError) return thrown
    throw thrown
  }
  throw new Error('it was taken')
}

describe('a plan that is nested without end', () => {
  it.each(TEXTS)('in %s is refused by the limit of 64 levels, at its place, whatever its depth', (_, textOf) => {
    for (const levels of [1_200, 3_000, 20_000, 100_000]) {
      const { problems } = refusal(textOf(levels))
      expect(problems.map(({ code, message }) => [code, message])).toEqual([
        ['PLAN_TOO_DEEP', 'this is nested more than 64 levels deep'],
      ])
      expect(problems[0].at?.line).toBeGreaterThan(0)
    }
  })

  it('of sixty levels is read as ever', () => {
    for (const [, textOf] of TEXTS.filter(([name]) => /in (brackets|braces|JSON)$|further in/.test(name)))
      expect(loadPlan(textOf(55)).plan.steps).toHaveLength(1)
  })
})
