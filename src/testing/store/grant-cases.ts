/**
 * Cases about claiming and freeing units of pools: in the run's own commit, all or nothing, each attempt separately.
 */
import assert from 'node:assert/strict'
import { does, free, heldSlots, poolState, refusals, turn, used, want } from './grant-fixtures.ts'
import { newRun } from './run-fixtures.ts'
import { bootstrap, commitOne, creation, nextCommit, rowOf, stateOf, step, type StoreCase } from './store-case.ts'

export const GRANT_CASES: readonly StoreCase[] = [
  {
    title:
      'a grant belongs to run, slot and attempt, outlives adoption, restore and reopening, and ends by its release [P-18]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 9 })
      const claims = [want('b', { p: 1 }), want('a', { p: 3 }, { attempt: 2 }), want('a', { p: 2 })]
      const started = [step('StepStarted', 'a'), step('StepStarted', 'b')]
      const run = await bootstrap(world, { runId: 'r1' }, started, { claims })
      const held = [
        { slot: 'a', attempt: 1, wants: { p: 2 } },
        { slot: 'a', attempt: 2, wants: { p: 3 } },
        { slot: 'b', attempt: 1, wants: { p: 1 } },
      ]
      await does(world, run, { newEpoch: 2 })
      await world.store.raiseEpochs()
      assert.deepEqual(await world.store.readGrants(run.runKey), { held, waits: [] })
      const reopened = { ...world, store: await world.reopen() }
      assert.deepEqual(await reopened.store.readGrants(run.runKey), { held, waits: [] })
      assert.equal(await used(reopened, 'p'), 6)
      await does(reopened, run, { releases: [free('a', 'ok', 2)] })
      assert.deepEqual((await reopened.store.readGrants(run.runKey)).held, [held[0], held[2]])
      assert.equal(await used(reopened, 'p'), 3)
      assert.deepEqual(await reopened.store.readGrants(999_999), { held: [], waits: [] })
    },
  },
  {
    title: 'a claim that is refused drops its run from the batch, whole, and leaves the others standing [P-08]',
    run: async (world) => {
      const { store } = world
      await store.putPool({ pool: 'p', capacity: 2 })
      const [one, two] = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
      await does(world, one, { claims: [want('old', { p: 1 })] })
      const before = [await stateOf(store, one.runKey), await store.readGrants(one.runKey)]
      const inboxRow = { run: two, row: { inboxId: 'child:r1', kind: 'child', body: '{}' } }
      const results = await store.commit([
        nextCommit(one, [step('StepCompleted', 'old'), step('StepStarted', 'a')], {
          releases: [free('old')],
          claims: [want('a', { p: 2 }), want('b', { p: 1 })],
          waits: [want('c', { p: 1 })],
          context: [{ variable: 'v', seq: one.nextSeq, value: '1' }],
          notify: [inboxRow],
        }),
        nextCommit(two, [step('StepStarted', 'a')], { claims: [want('a', { p: 1 })] }),
      ])
      assert.deepEqual(results[0], { kind: 'ungranted', refused: [{ slot: 'b', pool: 'p' }] })
      assert.equal(results[1]?.kind, 'committed')
      assert.deepEqual([await stateOf(store, one.runKey), await store.readGrants(one.runKey)], before)
      assert.equal((await store.readContext(one.runKey, 99)).size, 0)
      assert.deepEqual(await store.readInbox(two.runKey), [])
      assert.equal(await used(world, 'p'), 2)
    },
  },
  {
    title: 'a commit that loses, or breaks a constraint, claims nothing, frees nothing and waits for nothing',
    run: async (world) => {
      const { store } = world
      await store.putPool({ pool: 'p', capacity: 2 })
      const run = await bootstrap(world, { runId: 'r1' })
      await does(world, run, { claims: [want('old', { p: 1 })] })
      const before = await store.readGrants(run.runKey)
      const extras = {
        claims: [want('new', { p: 1 })],
        releases: [free('old')],
        waits: [want('later', { p: 1 })],
      }
      const stale = { ...nextCommit(run, [step('StepStarted', 'new')], extras), expected: { epoch: 7, nextSeq: 1 } }
      assert.deepEqual(await commitOne(store, stale), { kind: 'conflict' })
      const broken = nextCommit(run, [{ eventType: 'RunStarted' }], extras)
      assert.equal((await commitOne(store, broken)).kind, 'constraint')
      assert.deepEqual(await store.readGrants(run.runKey), before)
      assert.deepEqual(await poolState(store, 'p'), { pool: 'p', capacity: 2, used: 1, waiting: 0 })
    },
  },
  {
    title: 'a commit without events that comes late loses against a wake-up that was written since [P-09, P-19]',
    run: async (world) => {
      const { store } = world
      await store.putPool({ pool: 'p', capacity: 1 })
      const run = await bootstrap(world, { runId: 'r1' })
      const waits = [want('a', { p: 1 })]
      const late = nextCommit(run, [], { waits: [], expected: { epoch: 1, nextSeq: run.nextSeq, nextWakeAt: null } })
      const { summary } = nextCommit(run, [])
      await does(world, run, { waits, summary: { ...summary, nextWakeAt: 5000 }, expected: late.expected })
      assert.deepEqual(await commitOne(store, late), { kind: 'conflict' })
      assert.equal((await rowOf(store, run.runKey)).nextWakeAt, 5000)
      assert.deepEqual(
        (await store.readGrants(run.runKey)).waits.map(({ slot }) => slot),
        ['a'],
      )
      const told = { ...late, expected: { ...late.expected, nextWakeAt: 5000 } }
      assert.equal((await commitOne(store, told)).kind, 'committed')
      assert.deepEqual(await store.readGrants(run.runKey), { held: [], waits: [] })
    },
  },
  {
    title:
      'all claims of a commit are tried in their order, and each refused slot is named with the first pool in its way',
    run: async (world) => {
      const { store } = world
      for (const pool of ['z', 'm', 'a']) await store.putPool({ pool, capacity: 2 })
      const run = await bootstrap(world, { runId: 'r1' })
      const claims = [
        want('one', { m: 1 }),
        want('two', { m: 2, z: 1 }),
        want('three', { z: 2, m: 1 }),
        want('four', { a: 1, m: 1, z: 1 }),
        want('five', { a: 1 }),
      ]
      assert.deepEqual(await refusals(world, run, claims), [
        { slot: 'two', pool: 'm' },
        { slot: 'four', pool: 'm' },
      ])
      await does(world, run, { claims: claims.filter(({ slot }) => slot !== 'two' && slot !== 'four') })
      assert.deepEqual(await heldSlots(world, run), ['five', 'one', 'three'])
      assert.deepEqual(await refusals(world, run, [want('six', { z: 1, a: 2 })]), [{ slot: 'six', pool: 'a' }])
    },
  },
  {
    title: 'of many runs that claim the last unit at once one gets it, never two [RES-01, X-75]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 1 })
      const runs = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => bootstrap(world, { runId: `r${n}` })))
      const answers = await Promise.all(runs.map((run) => turn(world, run, { claims: [want('a', { p: 1 })] })))
      assert.deepEqual(answers.map(({ kind }) => kind).toSorted(), ['committed', ...Array(5).fill('ungranted')])
      assert.equal(await used(world, 'p'), 1)
      const holders = await Promise.all(runs.map((run) => heldSlots(world, run)))
      assert.equal(holders.flat().length, 1)
    },
  },
  {
    title: 'what a commit frees it can claim itself, and what is claimed again stays as it is',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 1 })
      const run = await bootstrap(world, { runId: 'r1' })
      await does(world, run, { claims: [want('a', { p: 1 })] })
      await does(world, run, { claims: [want('a', { p: 1 })] })
      assert.equal(await used(world, 'p'), 1)
      await does(world, run, { releases: [free('a')], claims: [want('a', { p: 1 }, { attempt: 2 })] })
      assert.equal(await used(world, 'p'), 1)
      assert.deepEqual((await world.store.readGrants(run.runKey)).held, [{ slot: 'a', attempt: 2, wants: { p: 1 } }])
    },
  },
  {
    title: 'a run can claim with the commit that creates it, and in a batch what the run before it freed',
    run: async (world) => {
      const { store } = world
      await store.putPool({ pool: 'p', capacity: 1 })
      const run = await bootstrap(world, { runId: 'r1' }, undefined, { claims: [want('a', { p: 1 })] })
      const late = creation(newRun({ runId: 'r2' }), undefined, { claims: [want('a', { p: 1 })] })
      assert.deepEqual(await commitOne(store, late), { kind: 'ungranted', refused: [{ slot: 'a', pool: 'p' }] })
      assert.equal(await store.findRun({ tenantId: 'tenant-a', runId: 'r2' }), undefined)
      const results = await store.commit([nextCommit(run, [], { releases: [free('a')] }), late])
      assert.deepEqual(
        results.map(({ kind }) => kind),
        ['committed', 'committed'],
      )
      const second = results[1]?.kind === 'committed' ? results[1].runKey : 0
      assert.deepEqual(await heldSlots(world, await rowOf(store, second)), ['a'])
    },
  },
  {
    title: 'freeing twice, or what nobody holds, is nothing [RES-02]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 3 })
      const run = await bootstrap(world, { runId: 'r1' })
      await does(world, run, { claims: [want('a', { p: 1 }), want('b', { p: 1 })] })
      await does(world, run, { releases: [free('a'), free('a'), free('nobody'), free('b', 'ok', 2)] })
      assert.equal(await used(world, 'p'), 1)
      await does(world, run, { releases: [free('a')] })
      await does(world, run, { releases: [] })
      assert.equal(await used(world, 'p'), 1)
      assert.deepEqual(await heldSlots(world, run), ['b'])
    },
  },
  {
    title:
      'the end of an attempt frees all it held, however it ended, and the end of a run all that is left [RES-03, SCH-11]',
    run: async (world) => {
      const pools = ['cpu', 'db', 'gpu']
      for (const pool of pools) await world.store.putPool({ pool, capacity: 4 })
      const run = await bootstrap(world, { runId: 'r1' })
      const wants = { cpu: 1, db: 1, gpu: 1 }
      const inUse = async () => Promise.all(pools.map((pool) => used(world, pool)))
      await does(world, run, { claims: ['a', 'b', 'c', 'd'].map((slot) => want(slot, wants)) })
      assert.deepEqual(await inUse(), [4, 4, 4])
      await does(world, run, { releases: [free('a', 'failed')] })
      assert.deepEqual(await inUse(), [3, 3, 3])
      await does(world, run, { releases: [free('b', 'neutral')] })
      assert.deepEqual(await inUse(), [2, 2, 2])
      await does(world, run, { releases: [free('c', 'ok')] })
      assert.deepEqual(await inUse(), [1, 1, 1])
      await does(world, run, { claims: [want('e', { cpu: 1 })], waits: [want('f', { db: 9 })] })
      await does(world, run, { releases: 'all' })
      assert.deepEqual(await inUse(), [0, 0, 0])
      assert.deepEqual(await world.store.readGrants(run.runKey), { held: [], waits: [] })
    },
  },
  {
    title: 'two runs with a step of the same name hold each their own [RES-08]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 4 })
      const [one, two] = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
      for (const run of [one, two]) await does(world, run, { claims: [want('build', { p: 2 })] })
      await does(world, one, { releases: [free('build', 'failed')] })
      assert.deepEqual([await heldSlots(world, one), await heldSlots(world, two)], [[], ['build']])
      await does(world, one, { releases: 'all' })
      assert.deepEqual(await heldSlots(world, two), ['build'])
      assert.equal(await used(world, 'p'), 2)
    },
  },
  {
    title:
      'of ten claims on an agent with three units three are granted, and one with a single unit gives one [SCH-02, SCH-14]',
    run: async (world) => {
      await world.store.putPool({ pool: 'agent:x', capacity: 1 })
      await world.store.putPool({ pool: 'agent:y', capacity: 3 })
      const claimants = (agent: string) =>
        Array.from({ length: 10 }, (_, n) =>
          creation(newRun({ runId: `${agent}${n}` }), undefined, {
            claims: [want('work', { [`agent:${agent}`]: 1 })],
          }),
        )
      const answers = await world.store.commit([...claimants('x'), ...claimants('y')])
      const granted = answers.map(({ kind }) => kind === 'committed')
      assert.deepEqual(
        answers.filter(({ kind }) => kind !== 'committed').map(({ kind }) => kind),
        Array(16).fill('ungranted'),
      )
      const sum = (part: readonly boolean[]) => part.filter(Boolean).length
      assert.deepEqual([sum(granted.slice(0, 10)), sum(granted.slice(10))], [1, 3])
      assert.deepEqual([await used(world, 'agent:x'), await used(world, 'agent:y')], [1, 3])
    },
  },
]
