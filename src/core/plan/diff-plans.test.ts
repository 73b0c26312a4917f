/** Two plans compared: by ids, by fields, and by places only where places changed. */
import { expect, it } from 'vitest'
import { diffPlans, isEmptyDiff } from './diff-plans.ts'
import { parsePlan } from './parse-plan.ts'
import type { Plan } from './plan.ts'

function plan(steps: readonly string[], rest = 'version: 1.0.0'): Plan {
  const parsed = parsePlan(`plan: p\n${rest}\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join())
  return parsed.value.plan
}

const A = '{ id: a, run: f }'
const B = '{ id: b, run: f, retry: { maxAttempts: 3 } }'

it('finds nothing between equal plans', () => {
  expect(isEmptyDiff(diffPlans(plan([A, B]), plan([A, B])))).toBe(true)
})

it('names steps that came and went, and does not call the others moved for it', () => {
  const diff = diffPlans(plan([A, B]), plan(['{ id: c, run: f }', B]))
  expect(diff).toEqual({ added: ['c'], removed: ['a'], changed: [], plan: [] })
})

it('tells changed fields by their path with both values, also where one side has none', () => {
  const changed = '{ id: b, run: g, retry: { maxAttempts: 5 }, if: "input.x" }'
  const { changed: found } = diffPlans(plan([A, B]), plan([A, changed]))
  const [step] = found
  expect(step?.stepId).toBe('b')
  expect(step?.fields.toSorted((x, y) => (x.path < y.path ? -1 : 1))).toEqual([
    { path: 'if', to: 'input.x' },
    { path: 'retry.maxAttempts', from: 3, to: 5 },
    { path: 'run', from: 'f', to: 'g' },
  ])
})

it('says when two steps changed places', () => {
  const { changed } = diffPlans(plan([A, B]), plan([B, A]))
  expect(changed.map(({ stepId, fields }) => [stepId, fields])).toEqual([
    ['b', [{ path: 'order', from: 2, to: 1 }]],
    ['a', [{ path: 'order', from: 1, to: 2 }]],
  ])
})

it('tells what changed around the steps', () => {
  const diff = diffPlans(plan([A]), plan([A], 'version: 2.0.0\npolicy: { concurrency: 3 }'))
  expect(diff.plan.map(({ path, to }) => [path, to])).toEqual(
    expect.arrayContaining([
      ['metadata.planVersion', '2.0.0'],
      ['policy.concurrency', 3],
    ]),
  )
})
