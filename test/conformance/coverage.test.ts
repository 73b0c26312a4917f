/** The corpus has everything twice: each field of the plan format, each kind of signal and of event that plans can cause. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { staleFiles } from '../../scripts/generated-file.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { entrySchema } from '../../src/core/conformance/entry-schema.ts'
import { planSections } from '../../src/core/plan/write/plan-schema.ts'
import { durationTwins } from '../../src/core/plan/format/durations.ts'
import type { Fields } from '../../src/core/plan/format/fields.ts'
import { isSection } from '../../src/core/plan/format/fields.ts'
import type { Kind } from '../../src/core/plan/format/kind.ts'
import { SIGNAL_TYPES } from '../../src/core/run/signals/catalogue.ts'
import { CORPUS } from './played.ts'

const FOLDER = join(ROOT, 'conformance', 'corpus')
const WRITTEN = readdirSync(FOLDER).map((name) => ({
  name,
  entry: parse(readFileSync(join(FOLDER, name), 'utf8')) as { plan?: object; plans?: readonly object[] },
}))

type Tree = Readonly<Record<string, unknown>>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

const STEP = planSections().find(({ name }) => name === 'step') as unknown as Kind<unknown>

/** `retry.maxAttempts` wherever a retry stands, and `policy.onFailure=hold` for each value that is a word. */
function usedIn(value: Tree, section: string, fields: Fields, used: Set<string>): void {
  for (const [name, given] of Object.entries(value)) {
    if (durationTwins(fields).has(name)) used.add(`${section}.${name}`)
    const field = fields[name]
    if (field === undefined) continue
    used.add(`${section}.${name}`)
    for (const one of [given].flat()) if (typeof one === 'string') used.add(`${section}.${name}=${one}`)
    visit(given, name === 'steps' ? STEP : field.kind, used)
  }
}

function visit(given: unknown, kind: Kind<unknown>, used: Set<string>): void {
  if (Array.isArray(given)) for (const item of given as readonly unknown[]) visit(item, kind.of ?? kind, used)
  else if (isTree(given) && isSection(kind)) usedIn(given, kind.name, kind.fields, used)
}

function countUses(): ReadonlyMap<string, number> {
  const [document] = planSections()
  const counts = new Map<string, number>()
  for (const { entry } of WRITTEN) {
    const used = new Set<string>()
    for (const plan of [entry.plan ?? {}, ...(entry.plans ?? [])])
      usedIn(plan as Tree, 'plan document', document?.fields ?? {}, used)
    for (const field of used) counts.set(field, (counts.get(field) ?? 0) + 1)
  }
  return counts
}

const USES = countUses()
const usedLess = (all: readonly string[]): readonly string[] => all.filter((field) => (USES.get(field) ?? 0) < 2)

it('uses every field of the plan format in at least two entries', () => {
  const all = planSections().flatMap(({ name, fields }) =>
    [...Object.keys(fields), ...durationTwins(fields).keys()].map((field) => `${name}.${field}`),
  )
  expect(all.length).toBeGreaterThan(90)
  // A queue needs workers, which need a server: test/server/work.test.ts.
  expect(usedLess(all)).toEqual(['dispatch.queue'])
})

it('uses every value of fields that have a few, but the names of single engines, in at least two entries', () => {
  const all = planSections().flatMap(({ name, fields }) =>
    Object.entries(fields).flatMap(([field, { kind }]) => {
      const values = (kind.of ?? kind).schema['enum']
      return Array.isArray(values) ? values.map((value) => `${name}.${field}=${String(value)}`) : []
    }),
  )
  expect(all.length).toBeGreaterThan(30)
  const engines = all.filter((one) => one.startsWith('metadata.targetAdapter=') && !one.endsWith('=any'))
  expect(usedLess(all)).toEqual(engines)
})

it('has at least 60 plans, each with a sentence about it and an expectation of its own', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(60)
  expect(CORPUS.filter(({ about, expect: expected }) => about === undefined || expected === undefined)).toEqual([])
  expect(CORPUS.filter(({ name, plan }) => plan.plan.metadata.planId !== name).map(({ name }) => name)).toEqual([])
})

it('has plans that were imported from every other format there is, for engines to run alike', () => {
  const imported = CORPUS.filter(({ name }) => name.startsWith('imported-')).map(({ name }) => name)
  expect(imported).toEqual([
    'imported-dvt-graph',
    'imported-dvt-sequence',
    'imported-orchestr8-ast',
    'imported-orchestr8-conditions',
    'imported-orchestr8-fail-fast',
    'imported-orchestr8-flat',
    'imported-portarium-pack',
    'imported-portarium-v1',
    'imported-portarium-v2',
  ])
})

it('sends every signal there is in the middle of runs, completes tasks and forks', () => {
  const moves = CORPUS.flatMap((entry) => entry.moves ?? [])
  expect(SIGNAL_TYPES.filter((type) => !moves.some(({ send }) => send === type))).toEqual([])
  expect(moves.filter(({ complete }) => complete !== undefined).map(({ complete }) => complete?.outcome)).toEqual(
    expect.arrayContaining(['Succeeded', 'Failed', 'Cancelled']),
  )
  expect(moves.filter(({ fork }) => fork !== undefined).length).toBeGreaterThanOrEqual(2)
})

it('publishes the schema of its entries as it is in the code', () => {
  const text = `${JSON.stringify(entrySchema(), undefined, 2)}\n`
  expect(staleFiles([{ path: 'conformance/entry.schema.json', text }])).toEqual([])
})
