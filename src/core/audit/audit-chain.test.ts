/** What a copy of the audit log shows by itself. */
import { expect, it } from 'vitest'
import { alteredFrom, auditSaid, misplacedAfter } from './audit-chain.ts'

/** Before the first record. */
const BEGINNING = { position: 0, hash: '0'.repeat(64) }
const FIRST = { position: 1, hash: 'aa', record: JSON.stringify({ position: 1, previous: BEGINNING.hash }) }
const SECOND = { position: 2, hash: 'bb', record: JSON.stringify({ position: 2, previous: 'aa' }) }

it('a record follows the one whose hash it names, and no other', () => {
  expect(misplacedAfter(FIRST, BEGINNING)).toBeUndefined()
  expect(misplacedAfter(SECOND, FIRST)).toBeUndefined()
  expect(misplacedAfter(SECOND, { ...FIRST, hash: 'cc' })).toBe('it does not follow the record before it')
  expect(misplacedAfter(SECOND, BEGINNING)).toBe('it follows record 0: what was between them is gone')
})

it('a record is what was hashed, and says what stands beside it', () => {
  expect(alteredFrom(FIRST, 'aa', { position: 1 })).toBeUndefined()
  expect(alteredFrom(FIRST, 'ab', { position: 1 })).toBe('its hash is not that of its text')
  expect(alteredFrom(FIRST, 'aa', { position: 2, type: 'API_CALL' })).toBe('its text has another position, type')
})

it.each(['', '{', 'null', '"text"', '7'])('a record that is %j says nothing', (record) => {
  expect(auditSaid(record)).toEqual({})
})
