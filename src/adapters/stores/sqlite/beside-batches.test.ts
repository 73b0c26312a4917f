/** Records of the audit log while the other thread writes: one chain, in order, without a rest, whoever else writes to it. */
import { DatabaseSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { keysOf, roundOf, rowsOf, warm, WARM } from '../../../../test/fixtures/writer-thread.ts'
import type { AuditRow, SealedAudit } from '../../../ports/audit-log.ts'
import { systemClock } from '../../system/clock.ts'
import type { HandedBatch } from './hand-over.ts'
import { openSqliteStore, type SqliteStore } from './store.ts'

const hashOf = (text: string): Uint8Array => new Uint8Array(32).map((_, at) => text.charCodeAt(at % text.length))

/** Names what it follows, so that the chain can be read from the records. */
function seal(entry: string, position: number, previous: Uint8Array): SealedAudit {
  const record = JSON.stringify({ entry, position, previous: Buffer.from(previous).toString('hex') })
  const sealed = { type: 'API_CALL', at: 1_000 + position, record, keyId: 'k1' } as const
  return { ...sealed, hash: hashOf(`${entry}#${position}`), mac: hashOf(`mac of ${entry}`) }
}

const entriesOf = (rows: readonly AuditRow[]): readonly string[] =>
  rows.map(({ record }) => (JSON.parse(record) as { readonly entry: string }).entry)

async function expectChain(store: SqliteStore, entries: readonly string[]): Promise<void> {
  const rows = await store.readAudit('acme', 0, 1_000)
  expect(entriesOf(rows)).toEqual(entries)
  let previous = new Uint8Array(32)
  for (const [at, row] of rows.entries()) {
    const position = at + 1
    expect(row).toEqual({ tenantId: 'acme', position, ...seal(entries[at] ?? '', position, previous) })
    previous = new Uint8Array(row.hash)
  }
}

/** What the thread is handed: how many runs, and how many appends to the audit log. */
function handedTo(worker: Worker): string[] {
  const handed: string[] = []
  const { postMessage } = worker
  worker.postMessage = (...said: Parameters<Worker['postMessage']>) => {
    if (typeof said[0] === 'object' && said[0] !== null && 'audits' in said[0]) {
      const { values, audits } = said[0] as HandedBatch
      handed.push(`${values.length === 0 ? 'no batch' : 'a batch'}, ${audits.length} appends`)
    }
    postMessage.apply(worker, said)
  }
  return handed
}

/** The thread waits for the lock that is held here: it surely has not answered before it is given back. */
function holdLock(path: string): () => void {
  const other = new DatabaseSync(path)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  return () => other.exec('ROLLBACK')
}

/** The head of the log has been read, and the records are on their way. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('records are written with the next batch, which does not wait for a rest of the thread [AUT-12]', async () => {
  const { path, store, keys, worker } = await warm()
  await store.appendAudit('acme', ['before'], seal)
  const handed = handedTo(worker)
  const rows = await rowsOf(store, keys)
  const giveBack = holdLock(path)
  const first = store.commit(roundOf(rows, WARM))
  const noted = store.appendAudit('acme', ['a', 'b'], seal)
  await settled()
  const second = store.commit(roundOf(rows, WARM))
  giveBack()
  expect(entriesOf(await noted)).toEqual(['a', 'b'])
  keysOf(await first)
  expect((await second).map(({ kind }) => kind)).toEqual(keys.map(() => 'conflict'))
  expect(handed).toEqual(['a batch, 0 appends', 'a batch, 1 appends'])
  await expectChain(store, ['before', 'a', 'b'])
})

it('records that were sealed after an old head are sealed anew: no place is given twice, and none is left out [AUT-12]', async () => {
  const { path, store, keys, worker } = await warm()
  const other = await openSqliteStore({ path, clock: systemClock })
  onTestFinished(() => other.close())
  const handed = handedTo(worker)
  const batch = store.commit(roundOf(await rowsOf(store, keys), WARM))
  const many = Array.from({ length: 8 }, (_, at) => `n${at}`)
  const noted = many.map((one) => store.appendAudit('acme', [one], seal))
  const beside = other.appendAudit('acme', ['other'], seal)
  await Promise.all([batch, beside, ...noted])
  const found = entriesOf(await store.readAudit('acme', 0, 1_000))
  expect(found.toSorted()).toEqual([...many, 'other'].toSorted())
  expect(handed.filter((one) => !one.endsWith(', 0 appends')).length).toBeGreaterThan(0)
  await expectChain(store, found)
})

it('a thread that is lost leaves the records whole or not at all, and the next ones are written without it [P-10]', async () => {
  const { store, keys, worker } = await warm()
  const rows = await rowsOf(store, keys)
  const batch = store.commit(roundOf(rows, WARM)).catch(() => undefined)
  const noted = store.appendAudit('acme', ['a', 'b'], seal).then(
    () => true,
    () => false,
  )
  await worker.terminate()
  const [wasNoted] = await Promise.all([noted, batch])
  const found = entriesOf(await store.readAudit('acme', 0, 1_000))
  expect(wasNoted ? [['a', 'b']] : [[], ['a', 'b']]).toContainEqual(found)
  await store.appendAudit('acme', ['c'], seal)
  await expectChain(store, [...found, 'c'])
})

it('appends that no batch follows leave together, each sealed after the one before it [AUT-12]', async () => {
  const { path, store, keys, worker } = await warm()
  const handed = handedTo(worker)
  const rows = await rowsOf(store, keys)
  const giveBack = holdLock(path)
  const first = store.commit(roundOf(rows, WARM))
  const many = Array.from({ length: 6 }, (_, at) => `n${at}`)
  const noted = many.map((one) => store.appendAudit('acme', [one], seal))
  await settled()
  giveBack()
  keysOf(await first)
  expect((await Promise.all(noted)).flatMap(entriesOf)).toEqual(many)
  // None had to be written anew.
  expect(handed).toEqual(['a batch, 0 appends', 'no batch, 6 appends'])
  await expectChain(store, many)
})

it('a batch that cannot be handed over takes no records with it [AUT-12]', async () => {
  const { path, store, keys } = await warm()
  const rows = await rowsOf(store, keys)
  const giveBack = holdLock(path)
  const first = store.commit(roundOf(rows, WARM))
  const noted = store.appendAudit('acme', ['a'], seal)
  await settled()
  const odd = roundOf(rows, WARM).map((one) => ({ ...one, told: () => undefined }))
  await expect(store.commit(odd)).rejects.toThrow('could not be cloned')
  giveBack()
  keysOf(await first)
  expect(entriesOf(await noted)).toEqual(['a'])
  await expectChain(store, ['a'])
})

it('records beside runs that break a constraint are stored once [AUT-12]', async () => {
  const { path, store, keys } = await warm()
  const rows = await rowsOf(store, keys)
  const other = new DatabaseSync(path)
  onTestFinished(() => other.close())
  other.exec("CREATE TRIGGER odd BEFORE INSERT ON appends BEGIN SELECT RAISE(FAIL, 'this row is not wanted'); END")
  const giveBack = holdLock(path)
  const first = store.commit(roundOf(rows, WARM))
  const noted = store.appendAudit('acme', ['a'], seal)
  await settled()
  const second = store.commit(roundOf(rows, WARM))
  giveBack()
  for (const batch of [await first, await second])
    expect(new Set(batch.map(({ kind }) => kind))).toEqual(new Set(['constraint']))
  expect(entriesOf(await noted)).toEqual(['a'])
  await expectChain(store, ['a'])
})
