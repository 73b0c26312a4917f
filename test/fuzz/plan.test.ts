import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parsePlan } from '../../src/core/plan/compile/parse-plan.ts'
import { planSchema } from '../../src/core/plan/write/plan-schema.ts'
import { isProblemCode } from '../../src/core/problems/registry.ts'
import type { ReadOptions } from '../../src/core/plan/read/read-document.ts'
import { flipText, mutatePlan, SMALL_YAML, WHOLE_PLAN } from './plan-mutations.ts'
import { randomSource } from './random-source.ts'
import { extent } from '../setup/extent.ts'
import { SEED as seed } from '../setup/seed.ts'

const [FIELDS, JSON_TEXTS, YAML_TEXTS] = extent([30_000, 6_000, 8_000], [105_000, 20_000, 25_000]) as [
  number,
  number,
  number,
]
const told = (count: number): string => count.toLocaleString('en')
const WHOLE_JSON = JSON.stringify(WHOLE_PLAN)
const SMALL_JSON = JSON.stringify({ ...WHOLE_PLAN, output: 'x', steps: WHOLE_PLAN.steps.slice(0, 1) })

/** The schema editors use, read by a validator that knows nothing of our parser. */
const matchesSchema = new Ajv2020({ strict: false }).compile(planSchema())

interface Tally {
  accepted: number
  refused: number
  codes: Map<string, number>
}

/** Parses, and holds what must be true of every text: no throw, real problems, a canonical text that parses to itself. */
function feed(text: string, options: ReadOptions, tally: Tally): void {
  const parsed = parsePlan(text, options)
  if (!parsed.ok) {
    tally.refused += 1
    if (parsed.problems.length === 0) throw new Error(`refused without a problem: ${JSON.stringify(text)}`)
    for (const { code, message, at } of parsed.problems) {
      tally.codes.set(code, (tally.codes.get(code) ?? 0) + 1)
      if (!isProblemCode(code) || message === '' || at === undefined)
        throw new Error(`a bare problem for ${JSON.stringify(text)}`)
    }
    return
  }
  tally.accepted += 1
  if (options.format === 'json' && !matchesSchema(JSON.parse(text.replace(/^\ufeff/, '')))) {
    throw new Error(`the published schema refuses what the parser takes: ${JSON.stringify(text)}`)
  }
  const again = parsePlan(parsed.value.text, { format: 'json' })
  if (!again.ok || again.value.text !== parsed.value.text) throw new Error(`not stable: ${JSON.stringify(text)}`)
}

function newTally(): Tally {
  return { accepted: 0, refused: 0, codes: new Map() }
}

describe(`fuzzed plans (KEELSON_SEED=${seed})`, () => {
  it(`${told(FIELDS)} JSON plans with fields changed at random never throw`, () => {
    const random = randomSource(seed)
    const tally = newTally()
    for (let i = 0; i < FIELDS; i++) {
      const plan = i % 4 === 0 ? WHOLE_JSON : SMALL_JSON
      feed(JSON.stringify(mutatePlan(plan, random)), { format: 'json' }, tally)
    }
    expect(tally.accepted).toBeGreaterThan(FIELDS / 100)
    expect(tally.refused).toBeGreaterThan(FIELDS / 10)
    expect(tally.codes.size).toBeGreaterThan(8)
  })

  it(`${told(JSON_TEXTS)} JSON texts with characters flipped never throw, and are read exactly when JSON.parse reads them`, () => {
    const random = randomSource(seed + 1)
    const tally = newTally()
    let readable = 0
    for (let i = 0; i < JSON_TEXTS; i++) {
      const text = flipText(WHOLE_JSON, random)
      feed(text, { format: 'json' }, tally)
      const parsed = parsePlan(text, { format: 'json' })
      const broken = !parsed.ok && parsed.problems.some(({ code }) => code === 'PLAN_SYNTAX')
      if (broken === isJson(text)) throw new Error(`JSON.parse disagrees on ${JSON.stringify(text)}`)
      if (!broken) readable += 1
    }
    expect(readable).toBeGreaterThan(JSON_TEXTS / 200)
  })

  it(`${told(YAML_TEXTS)} YAML texts with characters flipped never throw`, () => {
    const random = randomSource(seed + 2)
    const tally = newTally()
    for (let i = 0; i < YAML_TEXTS; i++) {
      const plan = i % 20 === 0 ? WHOLE_JSON : random.pick(SMALL_YAML)
      feed(flipText(plan, random), { format: 'yaml' }, tally)
    }
    expect(tally.accepted).toBeGreaterThan(YAML_TEXTS / 250)
    expect(tally.refused).toBeGreaterThan(YAML_TEXTS / 3)
  })
})

/** JSON.parse takes no byte order mark; we do. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''))
    return true
  } catch {
    return false
  }
}
