/** The filter of runs as people type it. */
import { expect, it } from 'vitest'
import { filterParts, readRunFilter } from './run-filter.ts'

it('reads every name, several statuses and labels, and words', () => {
  const text = 'status:failed STATUS:Paused plan:order since:24h until:2026-01-31T09:00:00Z error:HTTP_503 actor:ana'
  expect(readRunFilter(`${text} label:team=ops label:day=a=b Word`)).toEqual({
    asked: {
      status: ['FAILED', 'PAUSED'],
      planId: 'order',
      createdFrom: '24h',
      createdTo: '2026-01-31T09:00:00Z',
      errorCode: 'HTTP_503',
      triggeredBy: 'ana',
      label: ['team=ops', 'day=a=b'],
    },
    words: ['word'],
    unknown: [],
  })
  expect(readRunFilter('  ')).toEqual({ asked: {}, words: [], unknown: [] })
})

it('keeps together what stands in quotes, even before the last quote is typed', () => {
  expect(filterParts('actor:"Ana B" x')).toEqual(['actor:"Ana B"', 'x'])
  expect(readRunFilter('actor:"Ana B" label:"k=v w"').asked).toEqual({ triggeredBy: 'Ana B', label: ['k=v w'] })
  expect(readRunFilter('actor:"Ana B').asked).toEqual({ triggeredBy: 'Ana B' })
  expect(filterParts('a"b status:failed "c')).toEqual(['a"b', 'status:failed', '"c'])
})

it('tells what it does not understand, with what was probably meant', () => {
  const whyOf = (text: string): string =>
    readRunFilter(text)
      .unknown.map(({ why }) => why)
      .join('; ')
  expect(whyOf('statu:failed')).toMatch(/^did you mean 'status'\? \(the names are/)
  expect(whyOf('status:faild')).toMatch(/^did you mean 'failed'\?/)
  expect(whyOf('qqqqqqqq:x')).toMatch(/^the names are/)
  expect(whyOf('plan:')).toBe('plan: says nothing')
  expect(whyOf('plan:a plan:b')).toBe('plan is given twice')
  expect(whyOf('plan:a plan:a status:failed status:failed')).toBe('')
  expect(whyOf('since:yesterday')).toMatch(/^a time is an age/)
  expect(whyOf('label:team')).toBe('a label is name=value')
  expect(whyOf('label:team=a label:team=b')).toBe('one run has one value of a label')
})
