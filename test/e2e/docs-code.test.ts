/** The TypeScript in README and guides compiles as it is printed, and their links lead somewhere. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesUnder } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { typeCheck } from '../fixtures/type-check.ts'

const PAGES = ['README.md', ...filesUnder('docs/guides', ['.md'])]

/** A block whose first line is a comment with a file's name is that file; others of its page may import it. */
const NAMED = /^\/\/ (\S+\.m?ts)\b/
/** What a page speaks of without printing it. */
const SPOKEN_OF = { 'keelson.steps.ts': 'export const steps = {}\n' }

interface Block {
  readonly page: string
  readonly path: string
  readonly code: string
}

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ''], index) => {
    const line = text.slice(0, text.indexOf(code)).split('\n').length
    const name = NAMED.exec(code)?.[1] ?? `block-${index + 1}-line-${line}.ts`
    return { page, path: `${folderOf(page)}/${name}`, code }
  })
}

const folderOf = (page: string): string => `docs/pages/${basename(page, '.md')}`

const blocks = PAGES.flatMap(blocksOf)
const pieces = {
  ...Object.fromEntries(
    PAGES.flatMap((page) => Object.entries(SPOKEN_OF).map(([name, code]) => [`${folderOf(page)}/${name}`, code])),
  ),
  // A block without an import or an export is a module all the same.
  ...Object.fromEntries(blocks.map(({ path, code }) => [path, `${code}\nexport {}\n`])),
  'docs/pages/broken.ts': `${blocks[0]?.code ?? ''}\nconst mistake: number = 'text'\n`,
}

describe('the code of the pages', () => {
  const complaints = typeCheck(pieces)

  it.each(blocks)('$page: $path compiles', ({ path }) => {
    expect(complaints[path] ?? []).toEqual([])
  })

  it('is there, and a mistake in it would be found', () => {
    expect(blocks.map(({ page }) => page)).toEqual(expect.arrayContaining(['README.md', 'docs/guides/library.md']))
    expect(complaints['docs/pages/broken.ts']).toEqual([expect.stringContaining('const mistake')])
  })
})

describe('the links of the pages', () => {
  const linksOf = (page: string): readonly string[] =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, to = '']) =>
      join(dirname(page), to),
    )

  it.each([...PAGES, ...filesUnder('examples', ['.md'])])('%s leads to what is there', (page) => {
    expect(linksOf(page).filter((to) => !existsSync(join(ROOT, to)))).toEqual([])
  })

  it('README leads to every guide and every example', () => {
    const wanted = [...filesUnder('docs/guides', ['.md']), ...filesUnder('examples', ['README.md'])]
    const found = new Set(linksOf('README.md'))
    expect(wanted.filter((page) => !found.has(page))).toEqual([])
  })
})
