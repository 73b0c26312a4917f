/** Batches that another thread writes: the same log as without it, no lock in the way of others, and a lost thread loses nothing. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { testFolder } from '../../../../test/fixtures/folder.ts'
import { creations, keysOf, roundOf, RUNS, rowsOf, warm, WARM } from '../../../../test/fixtures/writer-thread.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { InboxInsert, RunCommit, RunRow } from '../../../ports/run-store.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { allEvents, bytesOf, creation, nextCommit, rowOf, step } from '../../../testing/store/store-case.ts'
import { systemClock } from '../../system/clock.ts'
import { openMemoryStore } from '../memory/store.ts'
import { handOver, takeOver } from './hand-over.ts'
import { openSqliteStore } from './store.ts'

const signal = (inboxId: string): InboxInsert => ({ inboxId, kind: 'signal', body: '{}' })

const isUnknown = (thrown: unknown): boolean => thrown instanceof KeelsonError && thrown.code === 'STORE_UNAVAILABLE'

function needUnknown(thrown: unknown): undefined {
  expect(thrown).toSatisfy(isUnknown)
}

it('what is handed to the other thread arrives as it was, wrong lengths too', () => {
  const batch = [...creations(), creation(newRun({ runId: 'x' }), [])]
  const [first] = batch
  const [event] = first?.events ?? []
  if (first === undefined || event === undefined) return expect.fail('there is no event')
  const { salt: _salt, data: _data, ...bare } = event
  const odd = {
    ...first,
    events: [
      { ...event, chainHash: new Uint8Array(31) },
      { ...bare, terminalSlot: 'a#1' },
    ],
  }
  const handed = handOver([...batch, odd], 7)
  const arrived = takeOver(structuredClone(handed, { transfer: [handed.bytes.buffer] }))
  expect(handed.bytes.length).toBe(0)
  expect(handed.number).toBe(7)
  const told = ({ events, ...rest }: RunCommit): unknown => ({ ...rest, events: events.map(bytesOf) })
  expect(arrived.map(told)).toEqual([...batch, odd].map(told))
  expect(arrived.at(-1)?.events[1]).not.toHaveProperty('salt')
})

it('the log is the same as the one that is written without a thread, conflicts included [P-08]', async () => {
  const { store, keys } = await warm()
  const oracle = openMemoryStore({ clock: systemClock })
  const others = keysOf(await oracle.commit(creations()))
  for (let round = 1; round < WARM; round += 1)
    await oracle.commit(roundOf(await Promise.all(others.map((key) => rowOf(oracle, key))), round))
  const rows = await rowsOf(store, keys)
  const stale = roundOf(rows, WARM)
  const [one, again] = await Promise.all([store.commit(stale), store.commit(stale)])
  expect(one.map(({ kind }) => kind)).toEqual(keys.map(() => 'committed'))
  expect(again.map(({ kind }) => kind)).toEqual(keys.map(() => 'conflict'))
  await oracle.commit(roundOf(await Promise.all(others.map((key) => rowOf(oracle, key))), WARM))
  for (const [at, key] of keys.entries()) {
    const written = (await allEvents(store, key)).map(bytesOf)
    expect(written).toHaveLength(1 + 2 * WARM)
    expect(written).toEqual((await allEvents(oracle, others[at] ?? 0)).map(bytesOf))
  }
})

it('small writes go between the batches of the thread, and none of them is written beside one', async () => {
  const { store, keys } = await warm()
  const told: Promise<unknown>[] = []
  for (let round = WARM; round < WARM + 10; round += 1) {
    const rows = await rowsOf(store, keys)
    const batch = store.commit(roundOf(rows, round))
    for (const { runId, tenantId, runKey, nextSeq } of rows.slice(0, 5)) {
      const row = { inboxId: `signal:${round}`, kind: 'signal', body: '{}' } as const
      const inserted = store.insertInbox({ tenantId, runId }, row)
      // Whoever wrote while the other thread did would have waited for its lock, and all of the process with it.
      told.push(inserted.then(async () => expect((await rowOf(store, runKey)).nextSeq).toBe(nextSeq + 2)))
    }
    keysOf(await batch)
    await Promise.all(told)
  }
  expect(await store.readInbox(keys[0] ?? 0)).toHaveLength(10)
})

it('a batch of long texts is written by the calling thread: the other has little memory', async () => {
  const { store, keys, worker } = await warm()
  const handed: unknown[] = []
  const { postMessage } = worker
  worker.postMessage = (...said: Parameters<Worker['postMessage']>) => {
    handed.push(said[0])
    postMessage.apply(worker, said)
  }
  const long = (row: RunRow): RunCommit => {
    const commit = nextCommit(row, [step('StepStarted', `s${WARM}`)])
    const body = 'x'.repeat(500_000)
    return { ...commit, context: [{ variable: 'notes', seq: row.nextSeq, value: JSON.stringify(body) }] }
  }
  keysOf(await store.commit((await rowsOf(store, keys)).map(long)))
  expect(handed).toEqual([])
  keysOf(await store.commit(roundOf(await rowsOf(store, keys), WARM + 1)))
  expect(handed).toHaveLength(1)
})

it('when the thread is lost its batch has an unknown fate, and writing goes on without it [P-10]', async () => {
  const { path, store, keys, worker } = await warm()
  const before = await rowsOf(store, keys)
  const other = new DatabaseSync(path)
  onTestFinished(() => other.close())
  // The thread waits for this lock: it surely has not answered when it is lost.
  other.exec('BEGIN IMMEDIATE')
  const lost = expect(store.commit(roundOf(before, WARM))).rejects.toSatisfy(isUnknown)
  await worker.terminate()
  await lost
  other.exec('ROLLBACK')
  expect(await rowsOf(store, keys)).toEqual(before)
  keysOf(await store.commit(roundOf(before, WARM)))
  for (const key of keys) expect(await allEvents(store, key)).toHaveLength(1 + 2 * WARM)
})

/** Nobody else has the file: who holds its lock is the other thread, in the middle of a transaction. */
function untilInTransaction(path: string): void {
  const other = new DatabaseSync(path, { timeout: 0 })
  try {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
      try {
        other.exec('BEGIN IMMEDIATE')
      } catch {
        return
      }
      other.exec('ROLLBACK')
    }
  } finally {
    other.close()
  }
  expect.fail('the thread never wrote')
}

it('a thread that is lost in the middle of a transaction leaves each batch whole or not at all, and no lock [P-10]', async () => {
  const { path, store, keys, worker } = await warm()
  const before = await rowsOf(store, keys)
  const many = Array.from({ length: 200 }, (_, at) => step('StepStarted', `m${at}`))
  const born = Array.from({ length: RUNS }, (_, at) => newRun({ runId: `n${at}` }))
  const batches = [before.map((row) => nextCommit(row, many)), born.map((run) => creation(run))]
  const told = batches.map((batch) => store.commit(batch).then(keysOf, needUnknown))
  const small = store.insertInbox({ tenantId: 'tenant-a', runId: 'r0' }, signal('x'))
  untilInTransaction(path)
  await worker.terminate()
  // A machine with much to do may give the thread the time to end its transaction after all: then all of it is there.
  const [first, second] = await Promise.all(told)
  await small
  const rows = await rowsOf(store, keys)
  const moved = new Set(rows.map(({ nextSeq }, at) => nextSeq - (before[at]?.nextSeq ?? 0)))
  expect(first === undefined ? [[0], [200]] : [[200]]).toContainEqual([...moved])
  const there = new Set(await Promise.all(born.map(async (run) => (await store.findRun(run)) !== undefined)))
  expect(second === undefined ? [[false], [true]] : [[true]]).toContainEqual([...there])
  expect(await store.readInbox(keys[0] ?? 0)).toHaveLength(1)
  keysOf(await store.commit(roundOf(rows, WARM)))
  for (const [at, key] of keys.entries())
    expect(await allEvents(store, key)).toHaveLength((rows[at]?.nextSeq ?? 0) - 1 + 2)
})

it('an answer that names another batch is given to nobody: the thread has ended, and what it had is of unknown fate [P-10]', async () => {
  const { store, keys, worker } = await warm()
  const batch = store.commit(roundOf(await rowsOf(store, keys), WARM))
  const lost = expect(batch).rejects.toSatisfy(isUnknown)
  worker.emit('message', { number: 1_000_000, results: keys.map(() => ({ kind: 'conflict' })) })
  await lost
  const rows = await rowsOf(store, keys)
  expect(new Set(rows.map(({ nextSeq }) => nextSeq)).size).toBe(1)
  keysOf(await store.commit(roundOf(rows, WARM + 1)))
})

it('a batch that cannot be handed over fails alone: the next one gets its own answer', async () => {
  const { store, keys } = await warm()
  const rows = await rowsOf(store, keys)
  const stale = roundOf(rows, WARM)
  const odd = stale.map((one) => ({ ...one, told: () => undefined }))
  await expect(store.commit(odd)).rejects.toThrow('could not be cloned')
  keysOf(await store.commit(stale))
  expect((await store.commit(stale)).map(({ kind }) => kind)).toEqual(keys.map(() => 'conflict'))
  expect(await store.insertInbox({ tenantId: 'tenant-a', runId: 'r0' }, signal('after'))).toBeDefined()
})

it('small writes that wait at the same time share one rest of the thread', async () => {
  const { store, keys } = await warm()
  const rows = await rowsOf(store, keys)
  const order: string[] = []
  const note = async (name: string, write: Promise<unknown>): Promise<void> => {
    await write
    order.push(name)
  }
  const run = { tenantId: 'tenant-a', runId: 'r0' }
  const first = note('first batch', store.commit(roundOf(rows, WARM)))
  const writes = [note('small', store.insertInbox(run, signal('a')))]
  const born = Array.from({ length: RUNS }, (_, at) => creation(newRun({ runId: `n${at}` })))
  const second = note('second batch', store.commit(born))
  for (const name of ['b', 'c', 'd']) writes.push(note('small', store.insertInbox(run, signal(name))))
  await Promise.all([first, second, ...writes])
  expect(order).toEqual(['first batch', 'small', 'small', 'small', 'small', 'second batch'])
})

it('closing waits for what is on its way', async () => {
  const path = join(testFolder(), 'keelson.db')
  const store = await openSqliteStore({ path, clock: systemClock, commitThread: true })
  const keys = keysOf(await store.commit(creations()))
  for (let round = 1; round < 2 * WARM; round += 1)
    keysOf(await store.commit(roundOf(await rowsOf(store, keys), round)))
  const last = store.commit(roundOf(await rowsOf(store, keys), 2 * WARM))
  await store.close()
  keysOf(await last)
  const again = await openSqliteStore({ path, clock: systemClock })
  onTestFinished(() => again.close())
  for (const key of keys) expect(await allEvents(again, key)).toHaveLength(1 + 4 * WARM)
})
