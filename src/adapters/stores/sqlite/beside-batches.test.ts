/** Records of the audit log while the other thread writes: one chain, in order, without a rest, whoever else writes to it. */
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { keysOf, roundOf, rowsOf, warm, WARM } from '../../../../test/fixtures/writer-thread.ts'
import { until } from '../../../../test/fixtures/until.ts'
import type { AuditRow, SealedAudit } from '../../../ports/audit-log.ts'
import { systemClock } from '../../system/clock.ts'
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

/** What the thread is handed, by kind. */
function handedTo(worker: Worker): string[] {
  const handed: string[] = []
  const { postMessage } = worker
  worker.postMessage = (...said: Parameters<Worker['postMessage']>) => {
    handed.push(typeof said[0] === 'object' && said[0] !== null && 'rows' in said[0] ? 'records' : 'batch')
    postMessage.apply(worker, said)
  }
  return handed
}

it('records are written by the thread between two batches, and the second batch does not wait for its rest [AUT-12]', async () => {
  const { store, keys, worker } = await warm()
  await store.appendAudit('acme', ['before'], seal)
  const handed = handedTo(worker)
  const rows = await rowsOf(store, keys)
  const first = store.commit(roundOf(rows, WARM))
  const noted = store.appendAudit('acme', ['a', 'b'], seal)
  await until(() => handed.length === 2)
  const second = store.commit(roundOf(rows, WARM))
  expect(entriesOf(await noted)).toEqual(['a', 'b'])
  keysOf(await first)
  expect((await second).map(({ kind }) => kind)).toEqual(keys.map(() => 'conflict'))
  expect(handed).toEqual(['batch', 'records', 'batch'])
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
  expect(handed.filter((one) => one === 'records').length).toBeGreaterThan(0)
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

it('several writes follow one another on their way, each sealed after the one before it [AUT-12]', async () => {
  const { store, keys, worker } = await warm()
  const handed = handedTo(worker)
  const rows = await rowsOf(store, keys)
  const first = store.commit(roundOf(rows, WARM))
  const many = Array.from({ length: 6 }, (_, at) => `n${at}`)
  const noted: Promise<readonly AuditRow[]>[] = []
  for (const one of many) noted.push(store.appendAudit('acme', [one], seal))
  await until(() => handed.length === 1 + many.length)
  keysOf(await first)
  expect((await Promise.all(noted)).flatMap(entriesOf)).toEqual(many)
  // None had to be written anew.
  expect(handed).toEqual(['batch', ...many.map(() => 'records')])
  await expectChain(store, many)
})
