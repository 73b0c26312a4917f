/** Receipts: heads of logs signed and kept outside the store, so that a rewritten log is detected. */
import { createPublicKey, verify } from 'node:crypto'
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { receiptBook, receiptsIn, temporaryFolder } from '../../../test/fixtures/receipt-book.ts'
import { rewritten } from '../../../test/fixtures/rewritten-log.ts'
import { World, type Process } from '../../../test/fixtures/virtual-world.ts'
import type { ReceiptBook } from '../../ports/receipts.ts'
import type { RunKey } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { issue, receiptFollower } from './issue.ts'
import { receiptKeyOf } from './receipts.ts'
import { hexOf } from '../log/sha256.ts'
import { verifyChain } from '../verify/chain.ts'
import { isWhole, verifyRun, type RunProof } from '../verify/verify-run.ts'

const PLAN = 'steps: [{ id: a, run: f }, { id: b, run: f }]'

async function ended(world: World, process: Process): Promise<RunKey> {
  const key = await process.start(PLAN)
  await world.runUntil(() => world.hasEnded(key))
  return key
}

function proof(world: World, process: Process, key: RunKey, book: ReceiptBook, publicKey?: string): Promise<RunProof> {
  return verifyRun(process.store, world.row(key), book, publicKey === undefined ? undefined : receiptKeyOf(publicKey))
}

function rewrite(world: World, key: RunKey): void {
  const run = world.disk.runs[key - 1]
  if (run === undefined) throw new Error('no such run')
  const events = rewritten(run.events, 4, (record) => ({ ...record, engineAttemptId: 7 }))
  run.events.splice(0, run.events.length, ...events)
  run.row = { ...run.row, headHash: events.at(-1)?.chainHash ?? run.row.headHash }
}

it('one receipt anchors start and end of all runs of a page, and anybody can check it with the public key [P-48]', async () => {
  const world = new World()
  const process = world.process('one')
  const book = receiptBook(await temporaryFolder())
  const keys = [await ended(world, process), await ended(world, process), await ended(world, process)]
  await receiptFollower(process.services, book).drain()
  const [receipt, ...others] = await receiptsIn(book)
  expect(others).toEqual([])
  expect(receipt?.body.heads.map(({ eventType, runId }) => [runId, eventType]).sort()).toEqual(
    keys.flatMap((key) => ['RunCompleted', 'RunStarted'].map((type) => [world.row(key).runId, type])).sort(),
  )
  for (const key of keys) {
    const run = world.disk.runs[key - 1]
    const last = run?.events.at(-1)
    const head = receipt?.body.heads.find(({ runSeq, runId }) => runSeq === last?.runSeq && runId === run?.row.runId)
    expect(head?.chainHash).toBe(hexOf(last?.chainHash ?? new Uint8Array()))
    expect((await proof(world, process, key, book)).receipts).toMatchObject({ start: 'anchored', end: 'anchored' })
  }
  const { publicKey } = await book.keys.current()
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(publicKey, 'hex')])
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  const signature = Buffer.from(receipt?.signature ?? '', 'hex')
  expect(verify(null, Buffer.from(canonicalText(receipt?.body)), key, signature)).toBe(true)
})

it('a log rewritten with a fresh, consistent chain passes every check but the receipt [P-33, P-48]', async () => {
  const world = new World()
  const process = world.process('one')
  const book = receiptBook(await temporaryFolder())
  const key = await ended(world, process)
  await receiptFollower(process.services, book).drain()
  expect(isWhole(await proof(world, process, key, book))).toBe(true)
  rewrite(world, key)
  expect(verifyChain(world.disk.runs[key - 1]?.events ?? [])).toMatchObject({ missingData: [] })
  const found = await proof(world, process, key, book)
  expect(found.chain.broken).toBeUndefined()
  expect(found.headExpected).toBeUndefined()
  expect(found.receipts.findings).toMatchObject([{ code: 'RECEIPT_MISMATCH', runSeq: world.row(key).nextSeq - 1 }])
  expect(found.receipts).toMatchObject({ start: 'anchored', end: 'not-anchored' })
  expect(isWhole(found)).toBe(false)
})

it('a receipt changed to fit a rewritten log no longer has its signature [P-48]', async () => {
  const world = new World()
  const process = world.process('one')
  const folder = await temporaryFolder()
  const book = receiptBook(folder)
  const key = await ended(world, process)
  await receiptFollower(process.services, book).drain()
  const before = hexOf(world.row(key).headHash)
  rewrite(world, key)
  const [name = ''] = await readdir(join(folder, 'receipts'))
  const path = join(folder, 'receipts', name)
  await writeFile(path, (await readFile(path, 'utf8')).replace(before, hexOf(world.row(key).headHash)))
  const { findings } = (await proof(world, process, key, book)).receipts
  expect(findings.map(({ code }) => code)).toEqual(['RECEIPT_INVALID', 'RECEIPT_INVALID'])
})

it('a crash between writing and settling repeats the receipt, and that changes nothing [BUS-03]', async () => {
  const world = new World()
  const process = world.process('one')
  const book = receiptBook(await temporaryFolder())
  const key = await ended(world, process)
  const store = { ...process.store, settleFeed: () => Promise.reject(new Error('power cut')) }
  await expect(receiptFollower({ ...process.services, store }, book).drain()).rejects.toThrow('power cut')
  await receiptFollower(process.services, book).drain()
  expect(await receiptsIn(book)).toHaveLength(2)
  expect(isWhole(await proof(world, process, key, book))).toBe(true)
})

it('a run under way is anchored at its start, one never seen by the follower nowhere', async () => {
  const world = new World()
  const process = world.process('one', { script: { f: 'hold' } })
  const book = receiptBook(await temporaryFolder())
  const key = await process.start(PLAN)
  await receiptFollower(process.services, book).drain()
  expect((await proof(world, process, key, book)).receipts).toEqual({
    start: 'anchored',
    keyIds: [(await book.keys.current()).keyId],
    takenBack: 0,
    unknownKeys: [],
    findings: [],
  })
  const other = await process.start(PLAN)
  expect((await proof(world, process, other, book)).receipts).toMatchObject({ start: 'not-anchored', findings: [] })
})

it('who names a public key demands receipts of that very key', async () => {
  const world = new World()
  const process = world.process('one')
  const book = receiptBook(await temporaryFolder())
  const other = receiptBook(await temporaryFolder())
  const key = await ended(world, process)
  await receiptFollower(process.services, book).drain()
  const { publicKey } = await book.keys.current()
  expect(isWhole(await proof(world, process, key, book, publicKey))).toBe(true)
  const foreign = await proof(world, process, key, book, (await other.keys.current()).publicKey)
  expect(foreign.receipts.findings).toMatchObject([{ code: 'RECEIPT_KEY_MISMATCH' }])
})

it('a restore that says where the log goes on takes back what was said about later events, and nothing else', async () => {
  const world = new World()
  const process = world.process('one')
  const book = receiptBook(await temporaryFolder())
  const key = await ended(world, process)
  await receiptFollower(process.services, book).drain()
  const { tenantId, runId } = world.row(key)
  const at = (seq: number) => world.disk.runs[key - 1]?.events[seq - 1]
  const head = (seq: number) => ({
    tenantId,
    runId,
    runSeq: seq,
    chainHash: hexOf(at(seq)?.chainHash ?? new Uint8Array()),
    eventType: 'restored',
    at: '2026-01-01T00:00:00.000Z',
  })
  await issue(book, 'restore', [head(3)], world.time.now())
  rewrite(world, key)
  const after = await proof(world, process, key, book)
  expect(after.receipts).toMatchObject({ start: 'anchored', end: 'not-anchored', takenBack: 1, findings: [] })
  await issue(book, 'restore', [{ ...head(3), chainHash: '0'.repeat(64) }], world.time.now())
  expect((await proof(world, process, key, book)).receipts.findings).toMatchObject([{ code: 'RECEIPT_MISMATCH' }])
})

it('a line torn by a crash spoils no other, and lines of processes that write at once stay whole', async () => {
  const folder = await temporaryFolder()
  const { lines } = receiptBook(folder)
  await lines.append('2026-10', 'first')
  await appendFile(join(folder, 'receipts', '2026-10.jsonl'), '{"body":{"rec')
  await Promise.all(Array.from({ length: 20 }, (_, index) => lines.append('2026-11', `${index}`.repeat(5_000))))
  await lines.append('2026-10', 'second')
  const found: string[] = []
  for await (const line of lines.read()) found.push(line)
  expect(found.slice(0, 3)).toEqual(['first', '{"body":{"rec', 'second'])
  expect(found.slice(3).sort()).toEqual(Array.from({ length: 20 }, (_, index) => `${index}`.repeat(5_000)).sort())
})

it('the signing key is made once, for its owner alone, and keeps its name', async () => {
  const folder = await temporaryFolder()
  const made = await Promise.all(Array.from({ length: 8 }, () => receiptBook(folder).keys.current()))
  expect(new Set(made.map(({ publicKey }) => publicKey)).size).toBe(1)
  expect((await stat(join(folder, 'keys', 'receipts-1.pem'))).mode & 0o777).toBe(0o600)
  expect(await receiptBook(folder).keys.known()).toEqual([receiptKeyOf(made[0]?.publicKey ?? '')])
})
