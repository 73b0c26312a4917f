/** Tracing reads ids from titles, counts only what passed, and refuses ids that do not exist. */
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { staleFiles } from '../../scripts/generated-file.ts'
import { idsOfTitle, knownIds, readIds } from '../../scripts/requirement-ids.ts'
import { textOf } from '../../scripts/repository.ts'
import { idsNamedByTests, readLines, specPage } from '../../scripts/spec-page.ts'
import { allTitles, type Title } from '../../scripts/test-titles.ts'
import { waitingProofs } from '../../scripts/waiting-proofs.ts'
import { summaryLine } from '../../scripts/test-report.ts'
import { traceReport } from '../../scripts/trace-report.ts'

/** Built from parts, so that no literal here is taken for the title of a real test. */
const titled = (text: string, ...ids: readonly string[]): string => `${text} ${['[', ids.join(', '), ']'].join('')}`
const known = new Set(['AB-01', 'AB-02', 'P-07'])
const areas = { AB: ['AB-01', 'AB-02'], P: ['P-07'] }

describe('ids in titles', () => {
  it('are the last bracketed group', () => {
    expect(idsOfTitle(titled('items[3] survive', 'AB-01', 'P-07'), known)).toEqual({
      ids: ['AB-01', 'P-07'],
      unknown: [],
    })
    expect(idsOfTitle('a list [1, 2, 3]', known)).toEqual({ ids: [], unknown: [] })
  })

  it('are reported when unknown', () => {
    expect(idsOfTitle(titled('x', 'AB-01', 'AB-99'), known).unknown).toEqual(['AB-99'])
  })

  it('of this repository all exist', () => {
    const all = knownIds(readIds())
    const wrong = allTitles().flatMap(({ text, path }) => idsOfTitle(text, all).unknown.map((id) => `${path}: ${id}`))
    expect(wrong).toEqual([])
  })
})

const outcome = (title: string, status: 'passed' | 'failed' | 'skipped', path = 'a.test.ts') => ({
  title,
  status,
  path,
})

const missing = (id: string): string =>
  `${id} is proved by no passing test, and test/trace/deferred.json does not say what it waits for`

describe('a trace', () => {
  it('counts an id named by a passing test and by no failing one', () => {
    const outcomes = [
      outcome(titled('a', 'AB-01', 'AB-02'), 'passed'),
      outcome(titled('b', 'AB-02'), 'failed'),
      outcome(titled('c', 'P-07'), 'skipped'),
    ]
    const { areas: found, errors } = traceReport({ outcomes }, areas, {})
    expect(found).toEqual({
      AB: { covered: 1, total: 2, missing: ['AB-02'], deferred: {} },
      P: { covered: 0, total: 1, missing: ['P-07'], deferred: {} },
    })
    expect(errors).toEqual(['AB-02', 'P-07'].map(missing))
  })

  it('lists deferred ids with their reason, apart from the missing', () => {
    const { areas: found, errors } = traceReport({ outcomes: [] }, areas, { 'AB-01': 'the server' })
    expect(found['AB']).toEqual({ covered: 0, total: 2, missing: ['AB-02'], deferred: { 'AB-01': 'the server' } })
    expect(errors).toEqual(['AB-02', 'P-07'].map(missing))
  })

  it('defers what is proved only where no door leads to, and says so when that is deferred by hand too', () => {
    const outcomes = [
      outcome(titled('a', 'AB-01', 'AB-02'), 'passed', 'inner.test.ts'),
      outcome(titled('b', 'AB-02', 'P-07'), 'passed'),
    ]
    const waitsFor = (path: string): string | undefined => (path === 'inner.test.ts' ? 'the page' : undefined)
    const { areas: found, errors } = traceReport({ outcomes }, areas, {}, waitsFor)
    expect(found['AB']).toEqual({ covered: 1, total: 2, missing: [], deferred: { 'AB-01': 'the page' } })
    expect(errors).toEqual([])
    const twice = traceReport({ outcomes }, areas, { 'AB-01': 'the server' }, waitsFor)
    expect(twice.errors).toEqual(['AB-01 is deferred and yet a passing test names it'])
  })

  it('refuses an id that is deferred and covered, and ids nobody knows', () => {
    const outcomes = [outcome(titled('a', 'AB-01', 'AB-77'), 'passed')]
    const { errors } = traceReport({ outcomes }, areas, { 'AB-01': 'later', 'ZZ-01': 'never' })
    expect(errors).toEqual([
      `unknown id AB-77 in the title “${titled('a', 'AB-01', 'AB-77')}”`,
      'AB-01 is deferred and yet a passing test names it',
      'unknown id ZZ-01 in test/trace/deferred.json',
      ...['AB-02', 'P-07'].map(missing),
    ])
  })
})

/** A test file, as it would stand in the sources. */
function titlesOf(path: string, text: string): readonly Title[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: Title[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && node.text.endsWith(']')) found.push({ text: node.text, path, source: node })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

describe('a proof waits for a door', () => {
  const waiting = { 'src/app/inner.ts': 'the page' }
  const [one, two, three] = [titled('one', 'AB-01'), titled('two', 'AB-02'), titled('three %s', 'P-07')]
  const uses = `import { inner } from './inner.ts'
    import { outer } from './outer.ts'
    const helper = () => other()
    function other() { return inner(1) }
    it('${one}', () => helper())
    it('${two}', () => outer())`

  it('when its test uses a module that waits, also by what its file declares', () => {
    const waitsFor = waitingProofs(waiting, titlesOf('src/app/x.test.ts', uses))
    expect(waitsFor('src/app/x.test.ts', one)).toBe('the page')
    expect(waitsFor('src/app/x.test.ts', two)).toBeUndefined()
    expect(waitsFor('src/app/y.test.ts', one)).toBeUndefined()
  })

  it('when its test uses a name that waits, of a module that does not', () => {
    const named = { 'src/app/outer.ts#outer': 'the server', 'src/app/inner.ts#other': 'the page' }
    const waitsFor = waitingProofs(named, titlesOf('src/app/x.test.ts', uses))
    expect([one, two].map((title) => waitsFor('src/app/x.test.ts', title))).toEqual([undefined, 'the server'])
  })

  it('when a fixture uses it for the test', () => {
    const through = `import { see } from '../../test/fixtures/seen-run.ts'
      it('${one}', () => see(1))
      it('${two}', () => 1)`
    const waitsFor = waitingProofs(
      { 'src/core/view/show/snapshot-of.ts': 'the page' },
      titlesOf('src/app/x.test.ts', through),
    )
    expect([one, two].map((title) => waitsFor('src/app/x.test.ts', title))).toEqual(['the page', undefined])
  })

  it('when its title stands in a table of a file that uses one, whatever is filled in', () => {
    const table = `import { inner } from './inner.ts'
      const CASES = [['${three}', inner]]`
    const waitsFor = waitingProofs(waiting, titlesOf('src/app/x.test.ts', table))
    expect(waitsFor('src/app/x.test.ts', titled('three times', 'P-07'))).toBe('the page')
  })

  it('unless only a type is taken from it, or another test with the same ids uses a door', () => {
    const typed = `import type { Inner } from './inner.ts'
      it('${one}', () => { const a: Inner = 1 })`
    expect(waitingProofs(waiting, titlesOf('src/app/x.test.ts', typed))('src/app/x.test.ts', one)).toBeUndefined()
    const both = `${uses}
      it('${titled('again', 'AB-01')}', () => outer())`
    expect(waitingProofs(waiting, titlesOf('src/app/x.test.ts', both))('src/app/x.test.ts', one)).toBeUndefined()
  })
})

it('every id is named by a test, or says what it waits for, and never both', () => {
  const named = idsNamedByTests()
  const deferred = JSON.parse(textOf('test/trace/deferred.json')) as Readonly<Record<string, string>>
  const all = [...knownIds(readIds())]
  expect(all.filter((id) => !named.has(id) && deferred[id] === undefined)).toEqual([])
  expect(Object.keys(deferred).filter((id) => named.has(id) || !all.includes(id))).toEqual([])
  expect(Object.values(deferred).filter((reason) => reason.trim() === '')).toEqual([])
})

it('the codes, names and numbers of a requirement stand in a test file that names it', () => {
  const values = JSON.parse(textOf('test/trace/values.json')) as Readonly<Record<string, string>>
  const ids = knownIds(readIds())
  const files = new Map<string, Set<string>>()
  for (const { text, path } of allTitles())
    for (const id of idsOfTitle(text, ids).ids) files.set(id, (files.get(id) ?? new Set()).add(path))
  const wordsOf = (path: string): readonly string[] =>
    textOf(path)
      .replace(/(?<=\d)_(?=\d)/g, '')
      .match(/\w+/g) ?? []
  const absent = Object.entries(values).flatMap(([id, named]) => {
    const words = new Set([...(files.get(id) ?? [])].flatMap(wordsOf))
    return named.split(' ').flatMap((value) => (words.has(value) ? [] : [`${id}: ${value}`]))
  })
  expect(absent).toEqual([])
})

it('every id has a line in our own words, of at most twenty words', () => {
  const lines = readLines()
  expect(Object.keys(lines).sort()).toEqual([...knownIds(readIds())].sort())
  expect(Object.values(lines).filter((line) => line.split(' ').length > 20)).toEqual([])
})

it('the spec page lists exactly the ids that tests name', () => {
  expect(staleFiles([specPage()])).toEqual([])
})

it('the last line of a test run counts what the report holds', () => {
  const report = {
    outcomes: [
      { title: 'a', status: 'passed' as const, path: 'a.test.ts' },
      { title: 'b', status: 'skipped' as const, path: 'a.test.ts' },
    ],
    brokenFiles: 1,
    startedAt: 0,
  }
  expect(summaryLine(report, 1)).toBe('1 passed, 1 failed, 1 skipped')
  expect(summaryLine({ ...report, brokenFiles: 0 }, 0)).toBe('1 passed, 0 failed, 1 skipped')
  expect(summaryLine({ ...report, brokenFiles: 0 }, 1)).toBe('1 passed, 1 failed, 1 skipped')
  expect(summaryLine(undefined, 1)).toBe('0 passed, 1 failed, 0 skipped')
})
