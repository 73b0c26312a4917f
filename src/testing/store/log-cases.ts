/** Cases about the log that commits make: numbers and keys once each, exact bytes, order and pages. */
import assert from 'node:assert/strict'
import {
  allEvents,
  bootstrap,
  bytesOf,
  commitOne,
  creation,
  nextCommit,
  rowOf,
  START_MS,
  stateOf,
  step,
  type StoreCase,
} from './store-case.ts'
import { newRun } from './run-fixtures.ts'

export const LOG_CASES: readonly StoreCase[] = [
  {
    title: 'one number is never given to two events: it is refused and the caller is told [STO-04]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const before = await stateOf(world.store, row.runKey)
      const commit = nextCommit(row, [step('StepStarted', 'a'), step('StepStarted', 'b')])
      const [first, second] = commit.events
      assert.ok(first !== undefined && second !== undefined)
      const twice = { ...commit, events: [first, { ...second, runSeq: first.runSeq }] }
      assert.deepEqual(await commitOne(world.store, twice), { kind: 'constraint', detail: 'runSeq' })
      const taken = { ...commit, events: [{ ...first, runSeq: 1 }] }
      assert.deepEqual(await commitOne(world.store, taken), { kind: 'constraint', detail: 'runSeq' })
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
    },
  },
  {
    title: 'a key that exists is a broken constraint, whether in the log or in the same commit',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const before = await stateOf(world.store, row.runKey)
      const stored = nextCommit(row, [step('StepStarted', 'a'), { eventType: 'RunStarted', payload: { other: 1 } }])
      assert.deepEqual(await commitOne(world.store, stored), { kind: 'constraint', detail: 'idempotencyKey' })
      const same = nextCommit(row, [step('StepStarted', 'a'), step('StepStarted', 'a')])
      assert.deepEqual(await commitOne(world.store, same), { kind: 'constraint', detail: 'idempotencyKey' })
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
    },
  },
  {
    title: 'a key that exists is refused in every later commit, whatever its payload names',
    run: async (world) => {
      const misleading = { runSeq: 7, stepId: 'b', text: '","runSeq":9,"stepId":"c"' }
      const specs = [step('StepStarted', 'a'), { eventType: 'RunPaused' }]
      let row = await bootstrap(world, { runId: 'r1' }, specs)
      for (const slot of ['b', 'c', 'd']) {
        assert.equal((await commitOne(world.store, nextCommit(row, [step('StepStarted', slot)]))).kind, 'committed')
        row = await rowOf(world.store, row.runKey)
      }
      const before = await stateOf(world.store, row.runKey)
      for (const spec of specs) {
        const again = nextCommit(row, [step('StepStarted', 'e'), { ...spec, payload: misleading }])
        assert.deepEqual(await commitOne(world.store, again), { kind: 'constraint', detail: 'idempotencyKey' })
      }
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
    },
  },
  {
    title: 'an attempt has one terminal event: a second is a broken constraint',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, [step('StepStarted', 'a'), step('StepCompleted', 'a')])
      const before = await stateOf(world.store, row.runKey)
      const second = nextCommit(row, [step('StepFailed', 'a')])
      assert.deepEqual(await commitOne(world.store, second), { kind: 'constraint', detail: 'terminalSlot' })
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
      const next = nextCommit(row, [step('StepFailed', 'a', 2)])
      assert.equal((await commitOne(world.store, next)).kind, 'committed')
    },
  },
  {
    title: 'a key is 32 bytes of a hash and nothing else [IDM-14]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const commit = nextCommit(row, [step('StepStarted', 'a')])
      for (const key of [Buffer.from('pause-r1'), new Uint8Array(0), new Uint8Array(33)]) {
        const events = commit.events.map((event) => ({ ...event, idempotencyKey: key }))
        const result = await commitOne(world.store, { ...commit, events })
        assert.deepEqual(result, { kind: 'constraint', detail: 'idempotencyKey' })
      }
      for (const { idempotencyKey } of await allEvents(world.store, row.runKey))
        assert.match(Buffer.from(idempotencyKey).toString('hex'), /^[a-f0-9]{64}$/)
    },
  },
  {
    title: 'bytes come back as they went in, whatever they hold',
    run: async (world) => {
      const texts = ['', 'ü 漢 😀', '\u0000\u001f"\\\u2028', 'x'.repeat(70_000)]
      const specs = texts.map((text, index) => ({ ...step('StepCompleted', `s${index}`), data: { result: text } }))
      const commit = creation(newRun({ runId: 'r1' }), specs)
      const result = await commitOne(world.store, commit)
      assert.ok(result.kind === 'committed')
      const store = await world.reopen()
      assert.deepEqual((await allEvents(store, result.runKey)).map(bytesOf), commit.events.map(bytesOf))
    },
  },
  {
    title: 'persistedAt is the time of the store, whatever the producer says [EVT-13]',
    run: async (world) => {
      const ahead = START_MS + 3_600_000
      const row = await bootstrap(world, { runId: 'r1' }, [{ eventType: 'RunStarted', emittedAt: ahead }])
      const [event] = await allEvents(world.store, row.runKey)
      assert.ok(event !== undefined && Math.abs(event.persistedAt - ahead) > 1_800_000)
      if (!world.ownClock) assert.equal(event.persistedAt, world.clock.now())
      world.clock.advance(5)
      const result = await commitOne(world.store, nextCommit(row, [step('StepStarted', 'a')]))
      assert.ok(result.kind === 'committed')
      assert.equal((await allEvents(world.store, row.runKey))[1]?.persistedAt, result.persistedAt)
    },
  },
  {
    title: 'the order of the log is its numbers, not its times [EVT-14]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, [{ eventType: 'RunStarted', emittedAt: 9000 }])
      world.clock.advance(-60_000)
      const specs = ['a', 'b', 'c'].map((slot, index) => ({ ...step('StepStarted', slot), emittedAt: 8000 - index }))
      assert.equal((await commitOne(world.store, nextCommit(row, specs))).kind, 'committed')
      const events = await allEvents(world.store, row.runKey)
      const numbers = events.map(({ runSeq }) => runSeq)
      assert.equal(numbers.length, 4)
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      )
      assert.ok(events[0]?.record.includes('RunStarted'))
    },
  },
  {
    title: '2,500 events come in three pages, none lost and none twice [STO-09]',
    run: async (world) => {
      let row = await bootstrap(world, { runId: 'r1' }, [])
      for (let part = 0; part < 5; part++) {
        const specs = Array.from({ length: 500 }, (_, index) => step('StepStarted', `s${part}.${index}`))
        assert.equal((await commitOne(world.store, nextCommit(row, specs))).kind, 'committed')
        row = await rowOf(world.store, row.runKey)
      }
      const pages: number[][] = []
      for (let afterSeq = 0; ;) {
        const page = await world.store.readEvents(row.runKey, { afterSeq })
        if (page.length === 0) break
        pages.push(page.map(({ runSeq }) => runSeq))
        afterSeq = page.at(-1)?.runSeq ?? 0
      }
      assert.deepEqual(
        pages.map(({ length }) => length),
        [1000, 1000, 500],
      )
      const seen = pages.flat()
      assert.deepEqual(
        seen,
        [...new Set(seen)].sort((a, b) => a - b),
      )
      assert.equal((await world.store.readEvents(row.runKey, { afterSeq: 10, limit: 7 })).length, 7)
    },
  },
]
