/** Cases about the audit log: numbered without gaps per tenant, each row after the one before it, whoever writes at once. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { AuditRow, SealedAudit } from '../../ports/audit-log.ts'
import { refusedWith, START_MS, type StoreCase } from './store-case.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function seal(entry: string, position: number, previous: Uint8Array): SealedAudit {
  const record = JSON.stringify({ entry, position, previous: hex(previous) })
  const made = Buffer.from(hash('sha256', record), 'hex')
  return { type: 'API_CALL', at: START_MS + position, record, hash: made, keyId: 'key-1', mac: made }
}

function entriesOf(rows: readonly AuditRow[]): readonly string[] {
  return rows.map(({ record }) => (JSON.parse(record) as { entry: string }).entry)
}

/** Every row names its place and the hash of the one before it. */
function assertChained(rows: readonly AuditRow[]): void {
  let previous = '00'.repeat(32)
  for (const [index, row] of rows.entries()) {
    assert.equal(row.position, index + 1)
    const said = JSON.parse(row.record) as { position: number; previous: string }
    assert.deepEqual([said.position, said.previous], [index + 1, previous])
    assert.equal(hex(row.hash), hash('sha256', row.record))
    previous = hex(row.hash)
  }
}

export const AUDIT_CASES: readonly StoreCase[] = [
  {
    title: 'records come back as they were sealed, each tenant numbered from one, page by page',
    run: async (world) => {
      const empty = await world.store.auditHead('tenant-a')
      assert.deepEqual([empty.position, hex(empty.hash)], [0, '00'.repeat(32)])
      const made = await world.store.appendAudit('tenant-a', ['ü', 'b'], seal)
      assert.deepEqual(await world.store.appendAudit('tenant-a', [], seal), [])
      await world.store.appendAudit('tenant-b', ['x'], seal)
      await world.store.appendAudit('tenant-a', ['c'], seal)
      const store = await world.reopen()
      const rows = await store.readAudit('tenant-a', 0, 100)
      assertChained(rows)
      assert.deepEqual(entriesOf(rows), ['ü', 'b', 'c'])
      const [row] = rows
      assert.deepEqual(
        [row?.tenantId, row?.type, row?.at, row?.keyId, hex(row?.mac ?? new Uint8Array())],
        ['tenant-a', 'API_CALL', START_MS + 1, 'key-1', hex(made[0]?.mac ?? new Uint8Array())],
      )
      assert.deepEqual(entriesOf(await store.readAudit('tenant-a', 1, 1)), ['b'])
      assert.deepEqual(entriesOf(await store.readAudit('tenant-b', 0, 9)), ['x'])
      const head = await store.auditHead('tenant-a')
      assert.deepEqual([head.position, hex(head.hash)], [3, hex(rows[2]?.hash ?? new Uint8Array())])
      assert.deepEqual([...(await store.auditTenants())].sort(), ['tenant-a', 'tenant-b'])
      await refusedWith('STORE_SCOPE_MISSING', () => store.readAudit('', 0, 1))
      assert.deepEqual(await store.faults(), [])
    },
  },
  {
    title: 'writers at once lose nothing, make no gap and keep each batch together',
    run: async ({ store }) => {
      const batches = Array.from({ length: 24 }, (_, n) => (n % 3 === 0 ? [`${n}.a`, `${n}.b`] : [`${n}.a`]))
      await Promise.all(batches.map((batch) => store.appendAudit('tenant-a', batch, seal)))
      const rows = await store.readAudit('tenant-a', 0, 1000)
      assertChained(rows)
      const found = entriesOf(rows)
      assert.deepEqual([...found].sort(), batches.flat().sort())
      for (const [first, second] of batches)
        if (second !== undefined) assert.equal(found[found.indexOf(first ?? '') + 1], second)
    },
  },
  {
    title: 'a batch of which one record cannot be sealed leaves nothing, and the next has its number',
    run: async ({ store }) => {
      await store.appendAudit('tenant-a', ['a'], seal)
      const failing = (entry: string, position: number, previous: Uint8Array): SealedAudit => {
        if (entry === 'bad') throw new Error('no key')
        return seal(entry, position, previous)
      }
      await assert.rejects(store.appendAudit('tenant-a', ['b', 'bad'], failing), /no key/)
      await store.appendAudit('tenant-a', ['c'], seal)
      const rows = await store.readAudit('tenant-a', 0, 9)
      assertChained(rows)
      assert.deepEqual(entriesOf(rows), ['a', 'c'])
    },
  },
]
