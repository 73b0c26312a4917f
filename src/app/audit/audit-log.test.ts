/** The audit log and its proof: what somebody with the database in hand does to it is found. */
import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import type { AuditLog, AuditRow } from '../../ports/audit-log.ts'
import type { SigningKey, SigningKeys } from '../../ports/signing-keys.ts'
import { manualClock, START_MS } from '../../testing/store/store-case.ts'
import { auditMac, recordAudit, type AuditFact } from './audit-log.ts'
import { verifyAudit } from './verify-audit.ts'

const OLD: SigningKey = { keyId: 'k1', secret: new Uint8Array(32).fill(1) }
const NEW: SigningKey = { keyId: 'k2', secret: new Uint8Array(32).fill(2) }
const keys: SigningKeys = {
  current: async () => OLD,
  find: async (keyId) => [OLD, NEW].find((key) => key.keyId === keyId),
}
const FACTS: readonly AuditFact[] = [
  { type: 'AUTH_DECISION', actorId: 'ana', action: 'RUN_CANCEL', decision: 'GRANTED', target: 'r1' },
  { type: 'AUTH_DECISION', actorId: 'eve', action: 'RUN_CANCEL', decision: 'DENIED', reasonCode: 'AUTHZ_DENIED' },
  { type: 'CONFIG_CHANGED', actorId: 'ana', action: 'KEY_CREATE', correlationId: 'c-1', policyDecisionId: 'p-1' },
  { type: 'API_CALL', actorId: 'ana', action: 'RUN_READ_STATUS', count: 7 },
]

async function written(): Promise<AuditLog> {
  const clock = manualClock()
  const log = openMemoryStore({ clock })
  await recordAudit({ log, keys, clock }, 'acme', FACTS.slice(0, 3))
  await recordAudit({ log, keys: { ...keys, current: async () => NEW }, clock }, 'acme', FACTS.slice(3))
  return log
}

/** The same log, but with other rows in it, and the end that they give it. */
async function tampered(change: (rows: readonly AuditRow[]) => readonly AuditRow[]): Promise<AuditLog> {
  const log = await written()
  const rows = change(await log.readAudit('acme', 0, 100))
  const last = rows.at(-1)
  return {
    ...log,
    readAudit: async (_, after, limit) => rows.filter(({ position }) => position > after).slice(0, limit),
    auditHead: async () => ({ position: last?.position ?? 0, hash: last?.hash ?? new Uint8Array(32) }),
  }
}

/** A row with another text, whose hash and HMAC are made to fit with that key. */
function resealed(row: AuditRow, record: string, key: SigningKey): AuditRow {
  return { ...row, record, hash: hash('sha256', record, 'buffer'), mac: auditMac(key, record) }
}

const findingsOf = async (log: AuditLog) => (await verifyAudit(log, 'acme', { keys })).findings

it('grants and denials, acts and counts are recorded in order, signed with the key of their time', async () => {
  const log = await written()
  const rows = await log.readAudit('acme', 0, 100)
  expect(rows.map(({ type, keyId }) => [type, keyId])).toEqual([
    ['AUTH_DECISION', 'k1'],
    ['AUTH_DECISION', 'k1'],
    ['CONFIG_CHANGED', 'k1'],
    ['API_CALL', 'k2'],
  ])
  expect(JSON.parse(rows[1]?.record ?? '')).toMatchObject({ ...FACTS[1], position: 2, tenantId: 'acme' })
  expect(await verifyAudit(log, 'acme', { keys })).toMatchObject({ records: 4, head: { position: 4 }, findings: [] })
  expect(await verifyAudit(log, 'other', { keys })).toMatchObject({ records: 0, findings: [] })
})

it.each<readonly [string, (rows: readonly AuditRow[]) => readonly AuditRow[], number]>([
  ['text was changed', (rows) => rows.map((row) => ({ ...row, record: row.record.replace('eve', 'bob') })), 2],
  ['type was changed', (rows) => rows.map((row) => ({ ...row, type: 'API_CALL' })), 1],
  ['time was changed', (rows) => rows.map((row) => ({ ...row, at: START_MS + 1 })), 1],
  ['key was changed', (rows) => rows.map((row) => ({ ...row, keyId: 'k2' })), 1],
  ['HMAC was changed', (rows) => rows.map((row) => ({ ...row, mac: new Uint8Array(32) })), 1],
  ['neighbour was removed', (rows) => rows.filter(({ position }) => position !== 2), 3],
  ['first one was removed', (rows) => rows.slice(1), 2],
])('a record whose %s is found', async (_, change, position) => {
  const [first] = await findingsOf(await tampered(change))
  expect(first?.position).toBe(position)
})

it('a record that was put in, and two that changed places, are found', async () => {
  const between = await tampered((rows) => rows.flatMap((row) => [row, { ...row, position: row.position + 0.5 }]))
  expect(await findingsOf(between)).not.toEqual([])
  const moved = await tampered(([first, second, ...rest]) =>
    first === undefined || second === undefined ? [] : [{ ...second, position: 1 }, { ...first, position: 2 }, ...rest],
  )
  expect((await findingsOf(moved))[0]).toMatchObject({ position: 1 })
  const numbered = await tampered((rows) =>
    rows.filter((row) => row.position !== 2).map((row, at) => ({ ...row, position: at + 1 })),
  )
  expect((await findingsOf(numbered))[0]).toMatchObject({ position: 2 })
})

it('a chain that somebody made anew without the key is found by its signatures', async () => {
  const thief: SigningKey = { keyId: 'k2', secret: new Uint8Array(32).fill(9) }
  const forged = await tampered((rows) =>
    rows.map((row) => (row.position === 4 ? resealed(row, row.record.replace('"count":7', '"count":1'), thief) : row)),
  )
  expect(await findingsOf(forged)).toEqual([{ tenantId: 'acme', position: 4, what: 'it was not signed with its key' }])
  expect((await verifyAudit(forged, 'acme')).findings).toEqual([])
  const noKeys = { ...keys, find: async () => undefined }
  expect((await verifyAudit(await written(), 'acme', { keys: noKeys })).findings).toHaveLength(4)
})

it('a log that was cut at its end is found by a head that was noted elsewhere', async () => {
  const noted = await (await written()).auditHead('acme')
  const cut = await tampered((rows) => rows.slice(0, 3))
  expect((await verifyAudit(cut, 'acme', { keys })).findings).toEqual([])
  expect((await verifyAudit(cut, 'acme', { keys, noted })).findings).toHaveLength(1)
  expect((await verifyAudit(await written(), 'acme', { keys, noted })).findings).toEqual([])
  const unmoved = { ...cut, auditHead: async () => ({ position: 2, hash: noted.hash }) }
  expect((await verifyAudit(unmoved, 'acme', { keys })).findings).toHaveLength(1)
})
