/** The repository keeps its own house rules: sizes, words, comments, types, and nothing of anybody's machine. */
import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { filesUnder, isTestFile, productFiles, textOf } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { parse, place, walk } from './source.ts'

const product = productFiles()
const sources = ['src', 'test', 'examples'].flatMap((folder) => filesUnder(folder, ['.ts']))
const tests = sources.filter(isTestFile)
const everything = filesUnder('.')

function linesOf(path: string): number {
  return textOf(path).trimEnd().split('\n').length
}

function functionLines(node: ts.Node): number {
  const source = node.getSourceFile()
  const first = source.getLineAndCharacterOfPosition(node.getStart()).line
  return source.getLineAndCharacterOfPosition(node.getEnd()).line - first + 1
}

function findAll(paths: readonly string[], wrong: (node: ts.Node) => boolean): readonly string[] {
  const found: string[] = []
  for (const path of paths) walk(parse(path), (node) => (wrong(node) ? found.push(place(node)) : undefined))
  return found
}

const MOST_LINES = 300

/** Data alone, which nobody reads from the first line to the last: a longer list is no harder to find something in. */
const DATA = ['src/core/config/settings.ts', 'src/core/events/payloads.ts', 'test/mutants/append.ts']

it('no file has marks of a merge that nobody finished', () => {
  // Formatters turn some of them into quotes and headings.
  const marks = /^ *(?:<{7} |>{7} |(?:> ){7})/m
  const texts = everything.filter((path) => /\.(?:ts|tsx|md|json|ya?ml|sql|css)$/.test(path))
  expect(texts.filter((path) => marks.test(textOf(path)))).toEqual([])
})

describe('sizes', () => {
  it('no file of the product and its tests is longer than 300 lines, but for data', () => {
    expect(sources.filter((path) => linesOf(path) > MOST_LINES && !DATA.includes(path))).toEqual([])
  })

  it('what is let be long as data has no function', () => {
    expect(findAll(DATA, ts.isFunctionLike)).toEqual([])
  })

  it('the median product file has at most 80 lines', () => {
    const lengths = product.map(linesOf).sort((a, b) => a - b)
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(80)
  })

  it('no function of the product is longer than 60 lines', () => {
    expect(findAll(product, (node) => ts.isFunctionLike(node) && 'body' in node && functionLines(node) > 60)).toEqual(
      [],
    )
  })

  it('no file is larger than 300 KB, but for the document that is made from the table of routes', () => {
    const written = everything.filter((path) => path !== 'schemas/openapi.json')
    expect(written.filter((path) => statSync(join(ROOT, path)).size > 300 * 1024)).toEqual([])
  })
})

describe('names and comments', () => {
  it('no folder is a drawer for anything', () => {
    const drawers = /(^|\/)(utils?|helpers?|common|shared|misc|lib)\//
    expect(everything.filter((path) => drawers.test(path))).toEqual([])
  })

  it('files are named in kebab-case', () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|bench|suite|steps))?\.(ts|sql)$/
    const names = [...product, ...tests].map((path) => path.split('/').at(-1) ?? '')
    expect(names.filter((name) => !kebab.test(name) && !name.endsWith('.d.ts'))).toEqual([])
  })

  it('every product file opens with a comment that says what it is for', () => {
    const silent = product.filter((path) => !/^(\/\*\*|\/\/)/.test(textOf(path)))
    expect(silent).toEqual([])
  })

  it('nothing is left to be done in a comment', () => {
    const words = [['TO', 'DO'].join(''), ['FIX', 'ME'].join(''), 'X'.repeat(3)]
    const marker = new RegExp(`\\b(${words.join('|')})\\b(?!['"\`])`)
    expect(everything.filter((path) => /\.(ts|js|sql|md|ya?ml)$/.test(path) && marker.test(textOf(path)))).toEqual([])
  })
})

describe('types', () => {
  it('the product has no any, no non-null assertion and no default export', () => {
    expect(findAll(product, (node) => node.kind === ts.SyntaxKind.AnyKeyword)).toEqual([])
    expect(findAll(product, ts.isNonNullExpression)).toEqual([])
    expect(
      findAll(
        product,
        (node) =>
          ts.isExportAssignment(node) ||
          (node.kind === ts.SyntaxKind.DefaultKeyword && !ts.isDefaultClause(node.parent)),
      ),
    ).toEqual([])
  })

  it('no check is switched off by a comment', () => {
    const switches = new RegExp(`@ts-${'ignore'}|@ts-${'nocheck'}|@ts-${'expect-error'}|(es|ox)lint-${'disable'}`)
    const code = everything.filter((path) => /\.(ts|js)$/.test(path))
    expect(code.filter((path) => switches.test(textOf(path)))).toEqual([])
  })
})

it('no test is skipped, focused or promised for later', () => {
  const idle = new Set(['only', 'skip', 'todo', 'fails'])
  const wrong = (node: ts.Node): boolean =>
    ts.isPropertyAccessExpression(node) &&
    idle.has(node.name.text) &&
    ['it', 'test', 'describe', 'suite', 'bench'].includes(node.expression.getText())
  expect(findAll(tests, wrong)).toEqual([])
})

describe('nothing of a machine is in the repository', () => {
  const texts = everything.filter((path) => !/\.(png|svg|ico|woff2?|gz|db)$/.test(path))

  it('no file names a place on somebody’s disk', () => {
    const homes = [ROOT, homedir()].filter((path) => path.length > 1).map((path) => `${path}/`)
    const users = /(^|[\s"'`(=:])(\/(home|Users)\/[a-z0-9_.-]+\/|[A-Z]:\\Users\\)/
    const wrong = texts.filter((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      return users.test(text) || homes.some((home) => text.includes(home))
    })
    expect(wrong).toEqual([])
  })

  it('no file names a package registry', () => {
    const host = /https?:\/\/[a-z0-9.-]*registry[a-z0-9.-]*/
    expect(texts.filter((path) => host.test(textOf(path)))).toEqual([])
    expect(textOf('package-lock.json')).not.toMatch(/"resolved": "http/)
  })
})
