/** A compiled plan written for people to edit is the same plan when it is read again. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parsePlan } from '../compile/parse-plan.ts'
import { planText } from './written-plan.ts'

const BLOCK = { planId: 'p.each', planVersion: '1', sha256: 'a'.repeat(64) }

const PLANS: Readonly<Record<string, object>> = {
  sequence: { plan: 'p', version: '1', steps: [{ id: 'a', run: 'x' }] },
  graph: {
    plan: 'p',
    version: '1.0',
    metadata: { name: 'A title' },
    inputs: { type: 'object' },
    policy: { concurrency: 3, retry: { maxAttempts: 5 } },
    steps: [
      { id: 'a', run: 'x', compensate: { run: 'y', retry: { maxAttempts: 4 } } },
      { id: 'b', run: 'x', dependsOn: ['a'], retry: { maxAttempts: 3 }, timeout: '10s', with: { n: '${input.n}' } },
      { id: 'c', command: { argv: ['ls'] }, dependsOn: [], fallback: { run: 'z' }, effect: 'none' },
    ],
  },
  'all at once': {
    plan: 'p',
    version: '1',
    steps: [
      { id: 'a', run: 'x', dependsOn: [] },
      { id: 'b', run: 'x', dependsOn: [] },
    ],
  },
  ordered: {
    plan: 'p',
    version: '1',
    steps: [
      { id: 'a', run: 'x', order: 2 },
      { id: 'b', run: 'x', order: 1 },
    ],
  },
  'the plan of a block': {
    plan: 'p',
    version: '1',
    steps: [{ id: 'each', plan: BLOCK, forEach: 'input.items', with: { item: '${item}' } }],
  },
}

describe('planText', () => {
  it.each(Object.entries(PLANS))('writes %s so that reading it gives the very same plan', (_, document) => {
    const first = parsePlan(JSON.stringify(document))
    if (!first.ok) throw new Error(JSON.stringify(first.problems))
    const again = parsePlan(planText(first.value.plan))
    expect(again.ok && again.value.text).toBe(first.value.text)
  })

  it('leaves out what a default says', () => {
    const read = parsePlan(JSON.stringify(PLANS['graph']))
    if (!read.ok) throw new Error('refused')
    expect(planText(read.value.plan).split('\n')).toMatchInlineSnapshot(`
      [
        "plan: p",
        "version: "1.0"",
        "metadata:",
        "  name: A title",
        "inputs:",
        "  type: object",
        "policy:",
        "  concurrency: 3",
        "  retry:",
        "    maxAttempts: 5",
        "steps:",
        "  - id: a",
        "    run: x",
        "    compensate:",
        "      run: y",
        "      with:",
        "        input: \${step.input}",
        "        output: \${step.output}",
        "      retry:",
        "        maxAttempts: 4",
        "  - id: b",
        "    dependsOn:",
        "      - a",
        "    run: x",
        "    with:",
        "      n: \${input.n}",
        "    retry:",
        "      maxAttempts: 3",
        "    timeoutMs: 10000",
        "  - id: c",
        "    command:",
        "      argv:",
        "        - ls",
        "    effect: none",
        "    fallback:",
        "      run: z",
        "",
      ]
    `)
  })

  it('writes every plan of the examples and of the conformance suite so', () => {
    const root = join(import.meta.dirname, '../../../..')
    const files = ['examples', 'conformance']
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
      )
      .filter((path) => /\.(?:ya?ml|json)$/.test(path) && !path.includes('node_modules'))
    const plans = files.flatMap((path) => {
      const read = parsePlan(readFileSync(path, 'utf8'))
      return read.ok ? [{ path, ...read.value }] : []
    })
    expect(plans.length).toBeGreaterThan(5)
    const broken = plans.filter(({ plan, text }) => {
      const again = parsePlan(planText(plan))
      return !again.ok || again.value.text !== text
    })
    expect(broken.map(({ path }) => path)).toEqual([])
  })
})
