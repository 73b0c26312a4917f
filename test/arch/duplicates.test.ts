/** Nothing of twelve lines is written twice. Stores mirror each other on purpose, so two stores are not compared. */
import { expect, it } from 'vitest'
import { productFiles, textOf } from '../../scripts/repository.ts'

const WINDOW = 12
const STORES = /^src\/adapters\/stores\/[^/]+\//

interface Line {
  readonly text: string
  readonly at: string
}

/** Lines that say something: no blanks, comments, imports or lone brackets. */
function tellingLines(path: string, text: string): readonly Line[] {
  return text
    .split('\n')
    .map((line, index) => ({ text: line.trim(), at: `${path}:${index + 1}` }))
    .filter((line) => !/^(|[\])}{(,;\s]+|\/\/.*|\/?\*.*|import .*|\} from .*)$/.test(line.text))
}

function bothStores(one: string, other: string): boolean {
  return STORES.test(one) && STORES.test(other) && STORES.exec(one)?.[0] !== STORES.exec(other)?.[0]
}

function duplicatesIn(files: readonly { readonly path: string; readonly text: string }[]): readonly string[] {
  const seen = new Map<string, string>()
  const found: string[] = []
  for (const { path, text } of files) {
    const lines = tellingLines(path, text)
    for (let start = 0; start + WINDOW <= lines.length; start += 1) {
      const window = lines.slice(start, start + WINDOW)
      const key = window.map((line) => line.text).join('\n')
      const here = window[0]?.at ?? path
      const before = seen.get(key)
      if (before === undefined) seen.set(key, here)
      else if (!bothStores(before, here)) found.push(`${before} and ${here}`)
    }
  }
  return found
}

it('no twelve lines of the product are written twice', () => {
  expect(duplicatesIn(productFiles().map((path) => ({ path, text: textOf(path) })))).toEqual([])
})

it('the search finds a copy, and lets two stores mirror each other', () => {
  const text = Array.from({ length: WINDOW }, (_, index) => `const value${index} = ${index}`).join('\n')
  const pair = (one: string, other: string) => duplicatesIn([one, other].map((path) => ({ path, text }))).length
  expect(pair('src/app/a.ts', 'src/app/b.ts')).toBe(1)
  expect(pair('src/adapters/stores/memory/a.ts', 'src/adapters/stores/sqlite/a.ts')).toBe(0)
})
