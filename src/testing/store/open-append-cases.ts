/** Cases about the open append (P-15): a known key returns what is stored, the rest is numbered. */
import assert from 'node:assert/strict'
import { fail } from '../../core/problems/problem.ts'
import type { OpenAppendResult, RunRow } from '../../ports/run-store.ts'
import { openSeal, openWrite, type EventSpec } from './sealed-events.ts'
import {
  allEvents,
  bootstrap,
  commitOne,
  nextCommit,
  refusedWith,
  stateOf,
  step,
  type StoreCase,
  type World,
} from './store-case.ts'

async function open(world: World, row: RunRow, specs: readonly EventSpec[]): Promise<readonly OpenAppendResult[]> {
  return world.store.appendOpen(
    row,
    specs.map((spec) => openWrite(row, spec)),
    openSeal(row),
  )
}

export const OPEN_APPEND_CASES: readonly StoreCase[] = [
  {
    title: 'a repeated event answers with the first one and adds nothing [IDM-08, STO-06]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, [])
      assert.match(world.store.manifest.duplicates, /^return-existing/)
      const [first] = await open(world, row, [step('StepStarted', 'a')])
      assert.ok(first !== undefined)
      const { runSeq, eventId, persistedAt } = first
      assert.deepEqual(first, { runSeq, eventId, persistedAt, idempotent: false, persisted: true })
      const [stored] = await allEvents(world.store, row.runKey)
      assert.equal(stored?.runSeq, runSeq)
      assert.equal((JSON.parse(stored?.record ?? '{}') as { eventId?: string }).eventId, eventId)
      const before = await stateOf(world.store, row.runKey)
      world.clock.advance(60_000)
      const [second] = await open(world, row, [step('StepStarted', 'a')])
      assert.deepEqual(second, { runSeq, eventId, persistedAt, idempotent: true, persisted: false })
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
    },
  },
  {
    title: '100 equal appends at once make one row and 99 idempotent answers [IDM-09, STO-18]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, [])
      const calls = Array.from({ length: 100 }, () => open(world, row, [step('StepStarted', 'a')]))
      const answers = (await Promise.all(calls)).flat()
      assert.equal((await allEvents(world.store, row.runKey)).length, 1)
      assert.equal(answers.filter(({ persisted }) => persisted).length, 1)
      assert.equal(answers.filter(({ idempotent, persisted }) => idempotent && !persisted).length, 99)
      for (const field of ['runSeq', 'eventId', 'persistedAt'] as const)
        assert.equal(new Set(answers.map((answer) => answer[field])).size, 1)
    },
  },
  {
    title: 'the same key with other content keeps the first event and says so',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, [])
      const spec = { ...step('StepCompleted', 'a'), data: { result: 1 } }
      const [first] = await open(world, row, [spec])
      const before = await stateOf(world.store, row.runKey)
      for (const other of [
        { ...spec, data: { result: 2 } },
        { ...spec, payload: { of: 'b' } },
        step('StepCompleted', 'a'),
      ]) {
        const [answer] = await open(world, row, [other])
        assert.deepEqual(answer, { ...first, idempotent: true, persisted: false, conflict: true })
      }
      const [same] = await open(world, row, [{ ...spec, emittedAt: 77 }])
      assert.deepEqual(same, { ...first, idempotent: true, persisted: false })
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
    },
  },
  {
    title: 'a key is unique in its run: another run has its own event under it [STO-05]',
    run: async (world) => {
      const rows = [await bootstrap(world, { runId: 'r1' }, []), await bootstrap(world, { runId: 'r2' }, [])]
      const [first, second] = rows
      assert.ok(first !== undefined && second !== undefined)
      const write = openWrite(first, step('StepStarted', 'a'))
      for (const row of [first, second, second]) await world.store.appendOpen(row, [write], openSeal(first))
      for (const { runKey } of rows) {
        const events = await allEvents(world.store, runKey)
        assert.deepEqual(
          events.map(({ idempotencyKey }) => Buffer.from(idempotencyKey).toString('hex')),
          [write.idempotencyKey],
        )
      }
    },
  },
  {
    title: 'a batch is numbered in its order, with a result per event, or not stored at all [STO-29]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, [step('StepStarted', 'c')])
      const specs = ['a', 'b', 'c', 'd', 'e'].map((slot) => step('StepStarted', slot))
      const answers = await open(world, row, specs)
      assert.deepEqual(
        answers.map(({ idempotent }) => idempotent),
        [false, false, true, false, false],
      )
      assert.deepEqual(
        answers.map(({ runSeq }) => runSeq),
        [row.nextSeq, row.nextSeq + 1, 1, row.nextSeq + 2, row.nextSeq + 3],
      )
      const before = await stateOf(world.store, row.runKey)
      const seal = openSeal(row)
      const writes = ['f', 'g', 'bad', 'h', 'i'].map((slot) => openWrite(row, step('StepStarted', slot)))
      const refuseBad: typeof seal = (write, runSeq, previous) =>
        write.spec.slot === 'bad' ? fail('SCHEMA_VALIDATION_FAILED', 'bad') : seal(write, runSeq, previous)
      await refusedWith('SCHEMA_VALIDATION_FAILED', () => world.store.appendOpen(row, writes, refuseBad))
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
      const twice = await open(world, row, [step('StepStarted', 'j'), step('StepStarted', 'j')])
      assert.equal(twice[0]?.runSeq, twice[1]?.runSeq)
      assert.equal(twice[1]?.idempotent, true)
    },
  },
  {
    title: 'the store gives the number: an event that brings its own is refused, and all that is read has one [EVT-09]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const before = await stateOf(world.store, row.runKey)
      const seal = openSeal(row)
      const own: typeof seal = (write, _, previous) => seal(write, 77, previous)
      const write = openWrite(row, step('StepStarted', 'a'))
      await refusedWith('SCHEMA_VALIDATION_FAILED', () => world.store.appendOpen(row, [write], own))
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
      await world.store.appendOpen(row, [write], seal)
      for (const event of await allEvents(world.store, row.runKey)) {
        assert.ok(Number.isInteger(event.runSeq) && event.runSeq >= 1)
        assert.ok(Number.isInteger(event.persistedAt))
      }
    },
  },
  {
    title: 'writers at once get distinct numbers, each above those committed before it began [STO-02]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, [])
      let committed = 0
      const write = async (writer: number): Promise<void> => {
        for (let turn = 0; turn < 25; turn++) {
          const before = committed
          const [answer] = await open(world, row, [step('StepStarted', `w${writer}.${turn}`)])
          assert.ok(answer !== undefined && answer.runSeq > before)
          committed = Math.max(committed, answer.runSeq)
        }
      }
      await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)))
      const numbers = (await allEvents(world.store, row.runKey)).map(({ runSeq }) => runSeq)
      assert.equal(new Set(numbers).size, 200)
    },
  },
  {
    title: 'a second terminal event of an attempt is refused and nothing of its batch is stored',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, [step('StepCompleted', 'a')])
      const before = await stateOf(world.store, row.runKey)
      await refusedWith('INVALID_TRANSITION', () =>
        open(world, row, [step('StepStarted', 'b'), step('StepFailed', 'a')]),
      )
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
    },
  },
  {
    title: 'it moves the head, so that a commit decided before it is a conflict',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await open(world, row, [step('StepStarted', 'a')])
      assert.deepEqual(await commitOne(world.store, nextCommit(row, [step('StepStarted', 'b')])), { kind: 'conflict' })
      await refusedWith('RUN_NOT_FOUND', () => open(world, { ...row, runId: 'r2' }, [step('StepStarted', 'a')]))
      await refusedWith('RUN_NOT_FOUND', () => open(world, { ...row, tenantId: 'tenant-b' }, []))
    },
  },
]
