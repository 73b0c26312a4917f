/** The YAML that README and guides print: a plan, a piece of one among the steps that it speaks of, or a configuration of the server. */
import { describe, expect, it } from 'vitest'
import { compilePlan } from '../../src/app/plans/compile.ts'
import { readConfig } from '../../src/core/config/read-config.ts'
import { SETTING_NAMES } from '../../src/core/config/settings.ts'
import { blocksOf, PAGES, type Block } from './guide-page.ts'

const HEAD = 'plan: piece\nversion: 1.0.0\n'

/** A whole plan, its `steps:` or `policy:`, or a few of its steps. */
function wholeOf(code: string): string {
  if (/^plan:/m.test(code)) return code
  if (/^steps:/m.test(code)) return `${HEAD}${code}`
  if (/^policy:/m.test(code)) return `${HEAD}${code}steps: [{ id: a, run: a }]\n`
  const known = new Set([...code.matchAll(/\bid: ([\w-]+)/g)].map(([, id]) => id))
  const spoken = new Set(
    [...code.matchAll(/\bsteps\.([\w-]+)\./g)].flatMap(([, id = '']) => (known.has(id) ? [] : [id])),
  )
  const before = [...spoken].map((id) => `- { id: ${id}, run: ${id} }\n`).join('')
  return `${HEAD}steps:\n${before}${code}`
}

const SETTING_WORDS = new Set(SETTING_NAMES.map((name) => name.split('.')[0]))
const isConfig = ({ code }: Block): boolean =>
  [...code.matchAll(/^(\w+):/gm)].every(([, word]) => SETTING_WORDS.has(word)) && /^\w+:/m.test(code)

const blocks = PAGES.flatMap((page) => blocksOf(page)).filter(({ language }) => language === 'yaml')

const atLine = (block: Block) => ({ ...block, at: `${block.page}:${block.line}` })
const configs = blocks.filter(isConfig)
const plans = blocks.filter((block) => !configs.includes(block))

describe('a configuration of the pages', () => {
  it.each(configs.map(atLine))('$at', ({ code, at }) => {
    const read = readConfig(code, at)
    expect(read.ok ? [] : read.problems).toEqual([])
  })

  it('is there, and a mistake in one would be found', () => {
    expect(configs.length).toBeGreaterThan(0)
    expect(readConfig('auth: { oidcs: {} }\n', 'a.yaml').ok).toBe(false)
  })
})

describe('a plan of the pages', () => {
  it.each(plans.map(atLine))('$at', ({ code }) => {
    const compiled = compilePlan(wholeOf(code))
    expect(compiled.ok ? [] : compiled.problems).toEqual([])
  })

  it('is there, and a mistake in one would be found', () => {
    expect(plans.length).toBeGreaterThan(10)
    expect(compilePlan(wholeOf('- { id: a, runs: a }\n')).ok).toBe(false)
  })
})
