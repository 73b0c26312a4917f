/** Questions to an audit log: from either end, with filters, a page at a time, over records that are gone. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import { manualClock } from '../../testing/store/store-case.ts'
import { recordAudit, type AuditFact } from './audit-log.ts'
import { findAudit, type AuditQuestion } from './find-audit.ts'

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(1) }
const keys: SigningKeys = { current: async () => KEY, find: async () => KEY }

/** Every 700th is of eve, and was refused; a second passes between hundreds of them. */
async function written(count: number): Promise<AuditLog> {
  const clock = manualClock()
  const log = openMemoryStore({ clock })
  const facts = Array.from({ length: count }, (_, at): AuditFact => {
    const isEve = (at + 1) % 700 === 0
    return {
      type: 'STATE_MUTATION',
      actorId: isEve ? 'eve' : 'ana',
      action: 'RUN_CANCEL',
      decision: isEve ? 'DENIED' : 'GRANTED',
      target: `r${at + 1}`,
    }
  })
  for (let at = 0; at < facts.length; at += 100) {
    await recordAudit({ log, keys, clock }, 'acme', facts.slice(at, at + 100))
    clock.advance(1_000)
  }
  return log
}

/** All pages, following `next`. */
async function pages(log: AuditLog, asked: AuditQuestion): Promise<readonly (readonly number[])[]> {
  const found: (readonly number[])[] = []
  let place = {}
  for (;;) {
    const { rows, next, more } = await findAudit(log, 'acme', { ...asked, ...place })
    found.push(rows.map(({ position }) => position))
    if (!more) return found
    place = asked.order === 'newest' ? { before: next } : { after: next }
  }
}

it('gives every record once, from either end, whatever the size of a page', async () => {
  const log = await written(1_234)
  const all = Array.from({ length: 1_234 }, (_, at) => at + 1)
  for (const limit of [1_000, 7, 617]) {
    expect((await pages(log, { limit })).flat()).toEqual(all)
    expect((await pages(log, { limit, order: 'newest' })).flat()).toEqual(all.toReversed())
  }
  expect((await pages(log, { limit: 5, after: 10, before: 14 })).flat()).toEqual([11, 12, 13])
  expect((await findAudit(log, 'other', { limit: 5 })).more).toBe(false)
})

it('finds by who, what, about what, how it ended and when, and looks at so many records at once', async () => {
  const log = await written(11_000)
  const eves = Array.from({ length: 15 }, (_, at) => (at + 1) * 700)
  const byEve = await pages(log, { limit: 100, actor: 'eve' })
  expect(byEve.flat()).toEqual(eves)
  expect(byEve.length).toBeGreaterThan(2)
  expect((await pages(log, { limit: 4, decision: 'DENIED', order: 'newest' })).flat()).toEqual(eves.toReversed())
  expect((await pages(log, { limit: 9, target: 'r77', action: 'RUN_CANCEL' })).flat()).toEqual([77])
  expect((await pages(log, { limit: 9, action: 'RUN_START' })).flat()).toEqual([])
  const [row] = (await findAudit(log, 'acme', { limit: 1, after: 150 })).rows
  const at = row?.at ?? 0
  expect((await pages(log, { limit: 900, since: at, until: at + 1_000 })).flat()).toEqual(
    Array.from({ length: 100 }, (_, index) => index + 101),
  )
})

it('passes over what somebody took out of the log', async () => {
  const log = await written(1_300)
  const isThere = (position: number): boolean => position < 400 || position > 1_250
  const cut: AuditLog = {
    ...log,
    readAudit: async (tenantId, after, limit) =>
      (await log.readAudit(tenantId, after, 2_000)).filter(({ position }) => isThere(position)).slice(0, limit),
  }
  const left = Array.from({ length: 1_300 }, (_, at) => at + 1).filter(isThere)
  for (const limit of [1_000, 13]) {
    expect((await pages(cut, { limit })).flat()).toEqual(left)
    expect((await pages(cut, { limit, order: 'newest' })).flat()).toEqual(left.toReversed())
  }
})
