/** Two plans compared: by ids, by fields, and by positions only where positions changed. */
import { describe, expect, it } from 'vitest'
import { diffPlans, isEmptyDiff } from './diff-plans.ts'
import { compilePlan } from '../../../app/plans/compile.ts'
import { parsePlan } from '../compile/parse-plan.ts'
import type { Plan } from '../plan.ts'

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

describe('a block of steps under forEach', () => {
  const block = (steps: string, output = '{ a: 1 }', version = '1.0.0') => {
    const compiled = compilePlan(
      `plan: p\nversion: ${version}\nsteps:\n  - id: pack\n    forEach: { in: input.items, steps: [${steps}], output: ${output} }\n`,
    )
    if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join())
    return compiled.value
  }
  const diffOf = (a: ReturnType<typeof block>, b: ReturnType<typeof block>) => {
    const blocks = new Map([...(a.blocks ?? []), ...(b.blocks ?? [])].map(({ sha256, plan: of }) => [sha256, of]))
    return diffPlans(a.plan, b.plan, { blockOf: (sha256) => blocks.get(sha256) }).changed
  }

  it('is compared step by step, and a new version alone changes nothing of it', () => {
    expect(diffOf(block(`${A}, ${B}`), block(`${A}, ${B}`, '{ a: 1 }', '2.0.0'))).toEqual([])
    expect(diffOf(block(`${A}, ${B}`), block(`{ id: a, run: g }, { id: c, wait: { for: 1s } }`, '{ a: 2 }'))).toEqual([
      {
        stepId: 'pack',
        fields: [
          { path: 'forEach.steps.b', from: { run: 'f' } },
          { path: 'forEach.steps.c', to: { wait: { forMs: 1000 } } },
          { path: 'forEach.steps.a.run', from: 'f', to: 'g' },
          { path: 'forEach.output.a', from: 1, to: 2 },
        ],
      },
    ])
  })

  it('tells places apart from a field that is called order, and blocks inside blocks', () => {
    const [moved] = diffOf(block(`${A}, ${B}`), block(`${B}, ${A}`))
    expect(moved?.fields).toEqual([
      { path: 'order of forEach.steps.b', from: 2, to: 1 },
      { path: 'order of forEach.steps.a', from: 1, to: 2 },
    ])
    const inner = (run: string) =>
      `{ id: in, forEach: { in: item, steps: [{ id: deep, run: ${run}, with: { order: ${run} } }] } }`
    const [deep] = diffOf(block(inner('f')), block(inner('g')))
    expect(deep?.fields.map(({ path }) => path)).toEqual([
      'forEach.steps.in.forEach.steps.deep.with.order',
      'forEach.steps.in.forEach.steps.deep.run',
    ])
  })
})
