import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { started } from '../../../test/fixtures/seen-run.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import { canonicalText } from '../log/canonical.ts'
import { bytesOf, journalEntry } from './journal-entry.ts'

const lastOf = ({ records }: { readonly records: readonly LogRecord[] }): LogRecord => records.at(-1) as LogRecord

it('leaves out the longest fields of an entry of more than 8 KB, names them, and has the checksum of the whole [API-16]', () => {
  const fields = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}`, 'x'.repeat(700 + index)]))
  const record = lastOf(started().add('StepCompleted', { stepId: 'a', data: fields }))
  const entry = journalEntry(record)
  expect(bytesOf(entry)).toBeLessThanOrEqual(LIMITS.journalEntryBytes)
  const { truncated, data, ...rest } = entry as typeof entry & { readonly data: object; readonly truncated: object }
  const whole = { ...rest, data: fields }
  const sha256 = createHash('sha256').update(canonicalText(whole)).digest('hex')
  expect(truncated).toEqual({ truncated: true, bytes: bytesOf(whole), sha256, leftOut: ['data.f11', 'data.f10'] })
  expect(Object.keys(data)).toEqual(Object.keys(fields).slice(0, 10))
})

it('shows nothing of a payload that this version does not know, but that it is there [API-16, UIC-08]', () => {
  const log = started()
    .addForeign('StepTeleported', { stepId: 'a', payload: { to: 'mars', deep: { token: 'x' } } })
    .add('RunPaused')
  const [teleported, paused] = log.records.slice(-2) as [LogRecord, LogRecord]
  expect(journalEntry(teleported)['payload']).toEqual({ to: '***', deep: '***' })
  expect(journalEntry(teleported)['state']).toBeUndefined()
  const later = { ...paused, payload: { ...paused.payload, mood: 'private' } } as LogRecord
  expect(journalEntry(later)['payload']).toEqual({ ...paused.payload, mood: '***' })
  expect(journalEntry(later)['state']).toBe('Paused')
})
