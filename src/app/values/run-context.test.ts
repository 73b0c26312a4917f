import { describe, expect, it } from 'vitest'
import { applyCaptures } from './capture-output.ts'
import { mappingNeeds, mapValue } from '../expressions/map-input.ts'
import { contextVariables, loadRoots, type RootSources } from './run-context.ts'
import type { Capture, Json } from '../../core/plan/plan.ts'

const RUN = { id: 'r1', planId: 'p', planVersion: '1' }

function sources(
  outputs: Readonly<Record<string, unknown>>,
  extra: Partial<RootSources> = {},
): RootSources & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    output: (stepId) => {
      asked.push(stepId)
      return Promise.resolve(outputs[stepId])
    },
    end: () => Promise.resolve({ status: 'SUCCESS', error: null }),
    input: () => {
      asked.push('<input>')
      return Promise.resolve({ n: 1 })
    },
    context: () => {
      asked.push('<context>')
      return Promise.resolve({ v: 2 })
    },
    run: RUN,
    ...extra,
  }
}

describe('loading what an expression sees', () => {
  it('reads the named outputs and nothing else', async () => {
    const from = sources({ a: 1, b: 2, c: 3 })
    const roots = await loadRoots({ roots: ['steps'], steps: ['a', 'c'], ends: [] }, from)
    expect(roots).toEqual({ steps: { a: { output: 1 }, c: { output: 3 } } })
    expect(from.asked).toEqual(['a', 'c'])
  })

  it('reads each root only when it is needed', async () => {
    const from = sources({})
    expect(await loadRoots({ roots: ['input', 'context', 'run'], steps: [], ends: [] }, from)).toEqual({
      input: { n: 1 },
      context: { v: 2 },
      run: RUN,
    })
    expect(from.asked).toEqual(['<input>', '<context>'])
  })

  it('takes `previous` from the only predecessor, once, and leaves it out where there is none', async () => {
    const from = sources({ a: { x: 1 } }, { previousStepId: 'a' })
    expect(await loadRoots({ roots: ['previous', 'steps'], steps: ['a'], ends: [] }, from)).toEqual({
      previous: { x: 1 },
      steps: { a: { output: { x: 1 } } },
    })
    expect(from.asked).toEqual(['a'])
    expect(await loadRoots({ roots: ['previous'], steps: [], ends: [] }, sources({}))).toEqual({})
  })

  it('gives null for a step that has no output [X-72]', async () => {
    expect(await loadRoots({ roots: ['steps'], steps: ['gone'], ends: [] }, sources({}))).toEqual({
      steps: { gone: { output: null } },
    })
  })

  it('gives an item its value and index', async () => {
    const from = sources({}, { item: { index: () => Promise.resolve(3), value: () => Promise.resolve('sku') } })
    expect(await loadRoots({ roots: ['item', 'index'], steps: [], ends: [] }, from)).toEqual({ item: 'sku', index: 3 })
  })
})

describe('the variables of a run', () => {
  it('are the initial ones, overlaid by the stored ones, overlaid by those of this append', () => {
    const stored = new Map([
      ['b', '{"x":2}'],
      ['c', '[3]'],
    ])
    expect(contextVariables({ a: 1, b: 1 }, stored, [{ variable: 'c', value: [3, 4] }])).toEqual({
      a: 1,
      b: { x: 2 },
      c: [3, 4],
    })
  })

  it('grow step by step, so that a later step reads what earlier ones wrote [DFL-06]', async () => {
    const steps: readonly { id: string; with: Json; capture: readonly Capture[]; run: (input: Json) => unknown }[] = [
      {
        id: 'one',
        with: { n: '${input.n}' },
        capture: [{ destination: 'total', transform: 'n', merge: 'replace' }],
        run: (input) => input,
      },
      {
        id: 'two',
        with: '${context.total}',
        capture: [{ destination: 'log', merge: 'append' }],
        run: (n) => Number(n) + 10,
      },
      {
        id: 'three',
        with: { seen: '${context.log}', first: '${steps.one.output.n}', total: '${context.total}' },
        capture: [],
        run: (input) => input,
      },
    ]
    const rows = new Map<string, string>()
    const outputs: Record<string, unknown> = {}
    for (const step of steps) {
      const needs = mappingNeeds(step.with)
      if (!needs.ok) throw new Error('the mapping is wrong')
      const context = contextVariables({}, rows)
      const roots = await loadRoots(needs.value, sources(outputs, { context: () => Promise.resolve(context) }))
      const input = mapValue(step.with, roots)
      if (!input.ok) throw new Error('the input is wrong')
      outputs[step.id] = step.run(input.value)
      const captured = applyCaptures(step.capture, outputs[step.id], context)
      if (!captured.ok) throw new Error('the capture is wrong')
      for (const { variable, value } of captured.value.writes) rows.set(variable, JSON.stringify(value))
    }
    expect(outputs['three']).toEqual({ seen: [11], first: 1, total: 1 })
  })
})
