import { describe, expect, it } from 'vitest'
import { eventContent, hasContent } from './event-content.ts'

const record =
  '{"eventId":"e1","eventType":"StepCompleted","logicalAttemptId":1,"payload":{"b":1,"a":2},"runSeq":4,"stepId":"a"}'

describe('event content', () => {
  it('leaves out ids, times and the place in the log', () => {
    const again = record.replace('"e1"', '"e2"').replace('"runSeq":4', '"runSeq":9')
    expect(eventContent(again, '{}')).toBe(eventContent(record, '{}'))
  })

  it('tells payloads, slots and data apart', () => {
    const others = [record.replace('"b":1', '"b":3'), record.replace('"stepId":"a"', '"stepId":"b"')]
    for (const other of others) expect(eventContent(other, '{}')).not.toBe(eventContent(record, '{}'))
    expect(eventContent(record, '{"result":1}')).not.toBe(eventContent(record, undefined))
  })

  it('compares what is left once the data was erased', () => {
    const withData = record.replace('{"eventId"', '{"dataHash":"00","eventId"')
    const content = eventContent(withData, '{"result":1}')
    expect(hasContent({ record: withData, data: '{"result":1}' }, content)).toBe(true)
    expect(hasContent({ record: withData, data: '{"result":2}' }, content)).toBe(false)
    expect(hasContent({ record: withData }, content)).toBe(true)
    expect(hasContent({ record: withData.replace('"b":1', '"b":3') }, content)).toBe(false)
  })
})
