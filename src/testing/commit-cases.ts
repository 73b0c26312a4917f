/** Cases about the commit: compare and set, atomic per run, the unique indexes behind it, exact bytes. */
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
import { newRun, summary } from './run-fixtures.ts'

export const COMMIT_CASES: readonly StoreCase[] = [
  {
    title: 'a run, its first events and what belongs to them are stored by one commit',
    run: async (world) => {
      const run = newRun({
        runId: 'r1',
        requestKey: 'aa',
        originalRunId: 'r0',
        triggeredBy: 'mia',
        parent: { runId: 'p', slot: 'a[1]', attempt: 2 },
      })
      const specs = [{ eventType: 'RunApproved' }, { eventType: 'RunStarted' }]
      const whole = summary({
        status: 'PAUSED',
        substatus: 'DRAINING',
        nextWakeAt: 5,
        startedAt: 1,
        endedAt: 2,
        errorCode: 'X',
      })
      const commit = creation(run, specs, {
        summary: whole,
        context: [{ variable: 'v', seq: 1, value: '1' }],
        blobs: [{ sha256: 'ab', text: 'large' }],
        lease: { owner: 'me', until: 77 },
      })
      const result = await commitOne(world.store, commit)
      assert.ok(result.kind === 'committed')
      const { runKey, headHash, nextSeq, createdAt, updatedAt, ...rest } = await rowOf(world.store, result.runKey)
      assert.deepEqual(rest, { ...run, ...whole, epoch: 1, lease: { owner: 'me', until: 77 } })
      assert.ok(nextSeq >= 3)
      assert.equal(createdAt, updatedAt)
      assert.deepEqual(Buffer.from(headHash), Buffer.from(commit.events[1]?.chainHash ?? []))
      assert.deepEqual((await allEvents(world.store, runKey)).map(bytesOf), commit.events.map(bytesOf))
      assert.equal((await world.store.readContext(runKey, 2)).get('v'), '1')
      assert.equal(await world.store.getBlob(runKey, 'ab'), 'large')
    },
  },
  {
    title: 'a second bootstrap of a run is refused and changes nothing, in its tenant and in any other',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1', requestKey: 'aa' })
      const before = await stateOf(world.store, row.runKey)
      world.clock.advance(1000)
      const again = creation(newRun({ runId: 'r1', requestKey: 'aa', planId: 'other' }), [step('StepStarted', 'x')])
      assert.deepEqual(await commitOne(world.store, again), { kind: 'run-exists' })
      const foreign = creation(newRun({ runId: 'r1', tenantId: 'tenant-b' }))
      assert.deepEqual(await commitOne(world.store, foreign), { kind: 'run-exists' })
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
    },
  },
  {
    title: 'a request key makes one run per tenant and is answered with that run',
    run: async (world) => {
      await bootstrap(world, { runId: 'r1', requestKey: 'aa' })
      const again = creation(newRun({ runId: 'r2', requestKey: 'aa' }))
      assert.deepEqual(await commitOne(world.store, again), { kind: 'request-exists', runId: 'r1' })
      assert.equal(await world.store.findRun({ tenantId: 'tenant-a', runId: 'r2' }), undefined)
      await bootstrap(world, { runId: 'r3', requestKey: 'aa', tenantId: 'tenant-b' })
    },
  },
  {
    title: 'of two commits decided on the same head the second is a conflict and leaves no trace',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const [first, second] = [nextCommit(row, [step('StepStarted', 'a')]), nextCommit(row, [step('StepStarted', 'b')])]
      assert.equal((await commitOne(world.store, first)).kind, 'committed')
      const before = await stateOf(world.store, row.runKey)
      assert.deepEqual(await commitOne(world.store, second), { kind: 'conflict' })
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
      assert.deepEqual(await commitOne(world.store, { ...second, runKey: 999_999 }), { kind: 'conflict' })
    },
  },
  {
    title: 'an adoption without events raises the epoch, and whoever holds the old one is refused',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const adoption = nextCommit(row, [], { newEpoch: 2 })
      assert.equal((await commitOne(world.store, adoption)).kind, 'committed')
      const adopted = await rowOf(world.store, row.runKey)
      assert.equal(adopted.epoch, 2)
      assert.equal(adopted.nextSeq, row.nextSeq)
      assert.deepEqual(Buffer.from(adopted.headHash), Buffer.from(row.headHash))
      const stale = nextCommit(row, [step('StepStarted', 'a')])
      assert.deepEqual(await commitOne(world.store, stale), { kind: 'conflict' })
      const current = nextCommit(adopted, [step('StepStarted', 'a')])
      assert.equal((await commitOne(world.store, current)).kind, 'committed')
      assert.equal((await rowOf(world.store, row.runKey)).epoch, 2)
    },
  },
  {
    title: 'a run that loses or breaks a constraint leaves the others of its batch standing',
    run: async (world) => {
      const rows = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
      const [one, two] = rows as [(typeof rows)[0] & object, (typeof rows)[0] & object]
      const third = await bootstrap(world, { runId: 'r3' })
      const before = [await stateOf(world.store, one.runKey), await stateOf(world.store, third.runKey)]
      const results = await world.store.commit([
        nextCommit(one, [step('StepStarted', 'a'), { eventType: 'RunStarted' }], {
          context: [{ variable: 'v', seq: one.nextSeq, value: '1' }],
          notify: [{ run: third, row: { inboxId: 'child:r1', kind: 'child', body: '{}' } }],
        }),
        nextCommit(two, [step('StepStarted', 'a')]),
        { ...nextCommit(third, [step('StepStarted', 'a')]), expected: { epoch: 1, nextSeq: 99 } },
        creation(newRun({ runId: 'r4' })),
        creation(newRun({ runId: 'r2' })),
      ])
      assert.deepEqual(
        results.map(({ kind }) => kind),
        ['constraint', 'committed', 'conflict', 'committed', 'run-exists'],
      )
      assert.deepEqual([await stateOf(world.store, one.runKey), await stateOf(world.store, third.runKey)], before)
      assert.equal((await world.store.readContext(one.runKey, 99)).size, 0)
      assert.equal((await allEvents(world.store, two.runKey)).length, 2)
      assert.notEqual(await world.store.findRun({ tenantId: 'tenant-a', runId: 'r4' }), undefined)
    },
  },
  {
    title: 'a run may stand twice in one batch, the second time on what the first left',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const first = nextCommit(row, [step('StepStarted', 'a')], { newEpoch: 2 })
      const stale = nextCommit(row, [step('StepStarted', 'b')])
      const results = await world.store.commit([first, stale])
      assert.deepEqual(
        results.map(({ kind }) => kind),
        ['committed', 'conflict'],
      )
    },
  },
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
  {
    title: 'a summary replaces the one before, also where it no longer says anything',
    run: async (world) => {
      const full = summary({
        substatus: 'RETRYING',
        nextWakeAt: 9,
        startedAt: 1,
        endedAt: 2,
        errorCode: 'X',
        owed: true,
        stepsDone: 3,
      })
      const row = await bootstrap(world, { runId: 'r1' }, [], { summary: full })
      world.clock.advance(10)
      assert.equal((await commitOne(world.store, nextCommit(row, [], { summary: summary() }))).kind, 'committed')
      const after = await rowOf(world.store, row.runKey)
      assert.deepEqual({ ...after, ...full, updatedAt: row.updatedAt }, row)
      for (const field of ['substatus', 'nextWakeAt', 'startedAt', 'endedAt', 'owed', 'errorCode'])
        assert.ok(!(field in after))
    },
  },
  {
    title: 'what was committed is there when the store is opened again',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const before = await stateOf(world.store, row.runKey)
      assert.deepEqual(await stateOf(await world.reopen(), row.runKey), before)
    },
  },
]
