/** Tracing reads ids from titles, counts only what passed, and refuses ids that do not exist. */
import { describe, expect, it } from 'vitest'
import { staleFiles } from '../../scripts/generated-file.ts'
import { idsOfTitle, knownIds, readIds } from '../../scripts/requirement-ids.ts'
import { readLines, specPage } from '../../scripts/spec-page.ts'
import { allTitles } from '../../scripts/test-titles.ts'
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

const outcome = (title: string, status: 'passed' | 'failed' | 'skipped') => ({ title, status })

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
    expect(errors).toEqual([])
  })

  it('lists deferred ids with their reason, apart from the missing', () => {
    const { areas: found } = traceReport({ outcomes: [] }, areas, { 'AB-01': 'the server' })
    expect(found['AB']).toEqual({ covered: 0, total: 2, missing: ['AB-02'], deferred: { 'AB-01': 'the server' } })
  })

  it('refuses an id that is deferred and covered, and ids nobody knows', () => {
    const outcomes = [outcome(titled('a', 'AB-01', 'AB-77'), 'passed')]
    const { errors } = traceReport({ outcomes }, areas, { 'AB-01': 'later', 'ZZ-01': 'never' })
    expect(errors).toHaveLength(3)
  })
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
      { title: 'a', status: 'passed' as const },
      { title: 'b', status: 'skipped' as const },
    ],
    brokenFiles: 1,
    startedAt: 0,
  }
  expect(summaryLine(report, 1)).toBe('1 passed, 1 failed, 1 skipped')
  expect(summaryLine({ ...report, brokenFiles: 0 }, 0)).toBe('1 passed, 0 failed, 1 skipped')
  expect(summaryLine({ ...report, brokenFiles: 0 }, 1)).toBe('1 passed, 1 failed, 1 skipped')
  expect(summaryLine(undefined, 1)).toBe('0 passed, 1 failed, 0 skipped')
})
