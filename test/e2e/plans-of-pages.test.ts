/** The plans that README and guides print are plans; a piece of one is one among the steps that it speaks of. */
import { describe, expect, it } from 'vitest'
import { compilePlan } from '../../src/app/plans/compile.ts'
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

const blocks = PAGES.flatMap((page) => blocksOf(page)).filter(({ language }) => language === 'yaml')

describe('a plan of the pages', () => {
  it.each(blocks.map((block: Block) => ({ ...block, at: `${block.page}:${block.line}` })))('$at', ({ code }) => {
    const compiled = compilePlan(wholeOf(code))
    expect(compiled.ok ? [] : compiled.problems).toEqual([])
  })

  it('is there, and a mistake in one would be found', () => {
    expect(blocks.length).toBeGreaterThan(10)
    expect(compilePlan(wholeOf('- { id: a, runs: a }\n')).ok).toBe(false)
  })
})
