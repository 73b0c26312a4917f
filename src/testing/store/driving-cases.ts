/** Cases about driving: leases, due runs, begin-claims. */
import assert from 'node:assert/strict'
import type { RunStatus } from '../../ports/run-store.ts'
import { bootstrap, commitOne, nextCommit, rowOf, step, type StoreCase, type World } from './store-case.ts'
import { summary } from './run-fixtures.ts'

const NOW = 10_000
const ENDED = { summary: summary({ status: 'COMPLETED' as const, endedAt: NOW }) }

async function waiting(world: World, runId: string, nextWakeAt?: number, status: RunStatus = 'RUNNING') {
  const wake = nextWakeAt === undefined ? {} : { nextWakeAt }
  return bootstrap(world, { runId }, [], { summary: summary({ status, ...wake }) })
}

async function due(world: World, now = NOW, owner = 'me', limit = 100): Promise<readonly string[]> {
  return (await world.store.dueRuns(now, owner, limit)).map(({ runId }) => runId)
}

export const DRIVING_CASES: readonly StoreCase[] = [
  {
    title: 'ended runs with an inbox row nobody consumed are found by its age, oldest first; others are not [P-21]',
    run: async (world) => {
      const { store } = world
      const keys: number[] = []
      for (const runId of ['r1', 'r2', 'r3', 'r4', 'r5']) {
        const row = await bootstrap(world, { runId })
        if (runId !== 'r5') await commitOne(store, nextCommit(row, [{ eventType: 'RunCompleted' }], ENDED))
        keys.push(row.runKey)
      }
      const send = async (runId: string): Promise<void> => {
        const inboxRow = { inboxId: 'signal:1', kind: 'signal', body: '{}' }
        await store.insertInbox({ tenantId: 'tenant-a', runId }, inboxRow)
        world.clock.advance(10)
      }
      for (const runId of ['r3', 'r1', 'r4', 'r5']) await send(runId)
      await store.quarantine(keys[3] ?? 0, 'TEST')
      const found = async (until: number, limit = 10): Promise<readonly string[]> =>
        (await store.endedWithInboxRows(until, limit)).map(({ runId }) => runId)
      assert.deepEqual(await found(Number.MAX_SAFE_INTEGER), ['r3', 'r1'])
      assert.deepEqual(await found(Number.MAX_SAFE_INTEGER, 1), ['r3'])
      if (!world.ownClock) assert.deepEqual(await found(world.clock.now() - 35), ['r3'])
      assert.deepEqual(await found(0), [])
      const row = await rowOf(store, keys[2] ?? 0)
      await commitOne(store, nextCommit(row, [], { ...ENDED, consumed: [{ inboxId: 'signal:1', seq: row.nextSeq }] }))
      assert.deepEqual(await found(Number.MAX_SAFE_INTEGER), ['r1'])
    },
  },
  {
    title: 'a lease has one owner until it ends, is renewed by that owner and released by nobody else',
    run: async (world) => {
      const { store } = world
      const { runKey } = await bootstrap(world, { runId: 'r1' })
      assert.deepEqual((await store.acquireLease(runKey, 'me', 100, 200))?.lease, { owner: 'me', until: 200 })
      assert.equal(await store.acquireLease(runKey, 'you', 199, 300), undefined)
      assert.deepEqual((await store.acquireLease(runKey, 'me', 150, 250))?.lease, { owner: 'me', until: 250 })
      await store.releaseLease(runKey, 'you')
      assert.deepEqual((await rowOf(store, runKey)).lease, { owner: 'me', until: 250 })
      assert.deepEqual((await store.acquireLease(runKey, 'you', 250, 300))?.lease, { owner: 'you', until: 300 })
      assert.equal(await store.acquireLease(runKey, 'me', 299, 400), undefined)
      await store.releaseLease(runKey, 'you')
      assert.ok(!('lease' in (await rowOf(store, runKey))))
      assert.notEqual(await store.acquireLease(runKey, 'me', 0, 1), undefined)
      assert.equal(await store.acquireLease(999_999, 'me', 0, 1), undefined)
    },
  },
  {
    title: 'drivers that vanish with their lease are counted; one that gives it back ends their row [P-27]',
    run: async (world) => {
      const { store } = world
      const { runKey } = await bootstrap(world, { runId: 'r1' })
      const taken = async (owner: string, now: number, gone?: string): Promise<number | undefined> =>
        (await store.acquireLease(runKey, owner, now, now + 100, gone))?.deaths
      assert.equal(await taken('a', 0), undefined)
      assert.equal(await taken('a', 50), undefined)
      assert.equal(await taken('b', 150), 1)
      assert.equal(await taken('b', 160), 1)
      assert.equal(await store.acquireLease(runKey, 'c', 170, 300, 'a'), undefined)
      assert.equal(await taken('c', 170, 'b'), 2)
      assert.equal((await rowOf(store, runKey)).deaths, 2)
      assert.equal(await taken('d', 270), 3)
      await store.releaseLease(runKey, 'd')
      assert.equal(await taken('e', 280), undefined)
      assert.ok(!('deaths' in (await rowOf(store, runKey))))
    },
  },
  {
    title: 'what a holder was doing when it vanished is kept, death after death, until one gives its lease back [P-27]',
    run: async (world) => {
      const { store } = world
      const { runKey } = await bootstrap(world, { runId: 'r1' })
      const taken = async (owner: string, now: number): Promise<unknown> => {
        const row = await store.acquireLease(runKey, owner, now, now + 100)
        return [row?.doing, row?.diedDoing]
      }
      assert.deepEqual(await taken('a', 0), [undefined, undefined])
      await store.noteDoing(runKey, 'a', '0 deciding')
      assert.equal((await rowOf(store, runKey)).doing, '0 deciding')
      await store.noteDoing(runKey, 'b', '0 mapping')
      assert.deepEqual(await taken('a', 50), ['0 deciding', undefined])
      assert.deepEqual(await taken('b', 200), [undefined, ['0 deciding']])
      assert.deepEqual(await taken('b', 210), [undefined, ['0 deciding']])
      await store.noteDoing(runKey, 'b', '2 folding its log')
      assert.deepEqual(await taken('c', 400), [undefined, ['0 deciding', '2 folding its log']])
      await store.noteDoing(runKey, 'c', '0 deciding')
      await store.releaseLease(runKey, 'c')
      assert.deepEqual(await taken('d', 500), [undefined, undefined])
    },
  },
  {
    title: 'a holder that vanished before it had taken the run over is told apart from one that drove it [P-27]',
    run: async (world) => {
      const { store } = world
      const row = await bootstrap(world, { runId: 'r1' })
      const taken = async (owner: string, now: number): Promise<unknown> =>
        (await store.acquireLease(row.runKey, owner, now, now + 100))?.diedDoing
      assert.equal(await taken('a', 0), undefined)
      assert.deepEqual(await taken('b', 200), ['- taking it up'])
      await store.noteDoing(row.runKey, 'b', '0 deciding')
      await store.noteDoing(row.runKey, 'b', undefined)
      assert.deepEqual(await taken('c', 400), ['- taking it up', '- taking it up'])
      const adopted = nextCommit(await rowOf(store, row.runKey), [], { newEpoch: row.epoch + 1 })
      assert.equal((await commitOne(store, adopted)).kind, 'committed')
      assert.equal(await taken('d', 600), undefined)
    },
  },
  {
    title: 'a run is taken back from where it was set aside only for that reason, with nothing left of its deaths',
    run: async (world) => {
      const { store } = world
      const { runKey } = await bootstrap(world, { runId: 'r1' })
      const before = await rowOf(store, runKey)
      await store.acquireLease(runKey, 'a', 0, 100)
      await store.acquireLease(runKey, 'b', 200, 300)
      await store.noteDoing(runKey, 'b', '0 deciding')
      assert.equal(await store.liftQuarantine(runKey, 'RUN_KILLS_PROCESS'), false)
      await store.quarantine(runKey, 'RUN_QUARANTINED')
      assert.equal(await store.liftQuarantine(runKey, 'RUN_KILLS_PROCESS'), false)
      await store.quarantine(runKey, 'RUN_KILLS_PROCESS')
      assert.equal(await store.liftQuarantine(runKey, 'RUN_KILLS_PROCESS'), true)
      assert.deepEqual(await rowOf(store, runKey), before)
    },
  },
  {
    title: 'a lease neither moves the log nor is moved by a commit',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await world.store.acquireLease(row.runKey, 'me', 100, 200)
      const commit = nextCommit(row, [step('StepStarted', 'a')])
      assert.equal((await commitOne(world.store, commit)).kind, 'committed')
      const after = await rowOf(world.store, row.runKey)
      assert.deepEqual(after.lease, { owner: 'me', until: 200 })
      const taken = nextCommit(after, [], { lease: { owner: 'you', until: 300 } })
      assert.equal((await commitOne(world.store, taken)).kind, 'committed')
      assert.deepEqual((await rowOf(world.store, row.runKey)).lease, { owner: 'you', until: 300 })
    },
  },
  {
    title: 'due are the runs whose time has come, earliest first, as many as asked for',
    run: async (world) => {
      await waiting(world, 'later', NOW + 1)
      await waiting(world, 'now', NOW)
      await waiting(world, 'early', 5)
      await waiting(world, 'outside')
      await waiting(world, 'paused', 6, 'PAUSED')
      await waiting(world, 'pending', 7, 'PENDING')
      for (const status of ['COMPLETED', 'FAILED', 'CANCELLED'] as const) await waiting(world, status, 1, status)
      assert.deepEqual(await due(world), ['early', 'paused', 'pending', 'now'])
      assert.deepEqual(await due(world, NOW, 'me', 2), ['early', 'paused'])
      assert.deepEqual(await due(world, 4), [])
    },
  },
  {
    title: 'due are also runs with unconsumed inbox rows, until all are consumed',
    run: async (world) => {
      const row = await waiting(world, 'r1')
      const ended = await waiting(world, 'r2', undefined, 'COMPLETED')
      for (const inboxId of ['a', 'b'])
        for (const run of [row, ended]) await world.store.insertInbox(run, { inboxId, kind: 'signal', body: '{}' })
      assert.deepEqual(await due(world), ['r1'])
      const take = async (inboxId: string) => {
        const head = await rowOf(world.store, row.runKey)
        const consumed = [{ inboxId, seq: head.nextSeq }]
        assert.equal(
          (await commitOne(world.store, nextCommit(head, [step('StepStarted', inboxId)], { consumed }))).kind,
          'committed',
        )
      }
      await take('a')
      assert.deepEqual(await due(world), ['r1'])
      await take('b')
      assert.deepEqual(await due(world), [])
    },
  },
  {
    title: 'a run that is due for two reasons is given once',
    run: async (world) => {
      const row = await waiting(world, 'r1', 5)
      await world.store.insertInbox(row, { inboxId: 'a', kind: 'signal', body: '{}' })
      await waiting(world, 'r2', 6)
      assert.deepEqual(await due(world), ['r1', 'r2'])
    },
  },
  {
    title: 'due runs leave out what others hold a lease on, and what is quarantined',
    run: async (world) => {
      const rows = [await waiting(world, 'mine', 1), await waiting(world, 'yours', 2), await waiting(world, 'bad', 3)]
      const [mine, yours, bad] = rows.map(({ runKey }) => runKey) as [number, number, number]
      await world.store.acquireLease(mine, 'me', 0, NOW + 1)
      await world.store.acquireLease(yours, 'you', 0, NOW + 1)
      await world.store.quarantine(bad, 'RUN_QUARANTINED')
      assert.deepEqual(await due(world), ['mine'])
      assert.deepEqual(await due(world, NOW, 'you'), ['yours'])
      assert.deepEqual(await due(world, NOW + 1, 'she'), ['mine', 'yours'])
    },
  },
  {
    title: 'due are also runs with work in flight whose driver holds no lease, or one that ran out',
    run: async (world) => {
      const owed = summary({ owed: true })
      const lease = (owner: string) => ({ owner, until: NOW })
      await bootstrap(world, { runId: 'free' }, [], { summary: owed })
      await bootstrap(world, { runId: 'mine' }, [], { summary: owed, lease: lease('me') })
      await bootstrap(world, { runId: 'yours' }, [], { summary: owed, lease: lease('you') })
      await bootstrap(world, { runId: 'ended' }, [], { summary: summary({ owed: true, status: 'FAILED' }) })
      await bootstrap(world, { runId: 'idle' }, [], { summary: summary() })
      assert.deepEqual(await due(world, NOW - 1), ['free'])
      assert.deepEqual((await due(world, NOW)).toSorted(), ['free', 'mine', 'yours'])
      const [free] = await world.store.dueRuns(NOW - 1, 'me', 1)
      assert.ok(free?.owed)
      const settled = nextCommit(free, [], { summary: summary() })
      assert.equal((await commitOne(world.store, settled)).kind, 'committed')
      assert.deepEqual(await due(world, NOW - 1), [])
    },
  },
  {
    title: 'a commit moves the time a run is due, and its end takes it away',
    run: async (world) => {
      const row = await waiting(world, 'r1', 5)
      const move = async (change: Parameters<typeof summary>[0]) => {
        const head = await rowOf(world.store, row.runKey)
        assert.equal(
          (await commitOne(world.store, nextCommit(head, [], { summary: summary(change) }))).kind,
          'committed',
        )
      }
      await move({ nextWakeAt: NOW + 5 })
      assert.deepEqual(await due(world), [])
      await move({ nextWakeAt: 7 })
      assert.deepEqual(await due(world), ['r1'])
      await move({ nextWakeAt: 7, status: 'CANCELLED' })
      assert.deepEqual(await due(world), [])
    },
  },
  {
    title: 'an attempt is claimed once, and a second claimant, even the same, is told no',
    run: async (world) => {
      const { store } = world
      const [one, two] = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
      const claim = { slot: 'pay', attempt: 1, claimant: 'w1' }
      const answers = await Promise.all(
        [1, 2, 3].map((n) => store.claimAttempt(one.runKey, { ...claim, claimant: `w${n}` })),
      )
      assert.equal(answers.filter(Boolean).length, 1)
      assert.equal(await store.claimAttempt(one.runKey, claim), false)
      assert.equal(await store.claimAttempt(one.runKey, { ...claim, attempt: 2 }), true)
      assert.equal(await store.claimAttempt(two.runKey, claim), true)
      assert.equal(await store.claimAttempt(999_999, claim), false)
      assert.deepEqual(
        (await store.readClaims(one.runKey)).map(({ slot, attempt }) => [slot, attempt]),
        [
          ['pay', 1],
          ['pay', 2],
        ],
      )
      assert.deepEqual(await store.readClaims(two.runKey), [claim])
    },
  },
]
