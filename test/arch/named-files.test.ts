/** ARCHITECTURE.md and CONTRIBUTING.md name files: each of them must be there, or the reader is sent astray. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { textOf } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'

const NAMED = /`((?:src|test|docs|scripts|examples)\/[\w./-]+)`/g

/** Whole paths in code marks that are nowhere in the repository. */
function missingIn(text: string): readonly string[] {
  return [...text.matchAll(NAMED)].flatMap(([, path = '']) => (existsSync(join(ROOT, path)) ? [] : [path]))
}

it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only files and folders that exist', (document) => {
  expect(missingIn(textOf(document))).toEqual([])
})

it('a file that is not there is noticed', () => {
  expect(missingIn('see `src/core/run/nowhere.ts` and `src/main.ts`')).toEqual(['src/core/run/nowhere.ts'])
})
