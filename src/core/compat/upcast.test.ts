import { expect, it } from 'vitest'
import { upcast } from './upcast.ts'

it('leaves every record of today as it is', () => {
  const record = Object.freeze({ eventType: 'RunPaused', payload: {} })
  expect(upcast(record)).toBe(record)
  expect(upcast({ eventType: 7 })).toEqual({ eventType: 7 })
})

it('applies the row of an event type to that type only', () => {
  const rows = { RunPaused: (record: object) => ({ ...record, raised: true }) }
  expect(upcast({ eventType: 'RunPaused' }, rows)).toEqual({ eventType: 'RunPaused', raised: true })
  expect(upcast({ eventType: 'toString' }, rows)).toEqual({ eventType: 'toString' })
})
