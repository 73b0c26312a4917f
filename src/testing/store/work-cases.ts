/** Cases about work for remote workers: each revision once, found by its claim within its tenant, handed out again only where it may be. */
import assert from 'node:assert/strict'
import type { StoredWork, StoredWorker, WorkWanted } from '../../ports/work.ts'
import { bootstrap, refusedWith, START_MS, type StoreCase } from './store-case.ts'

const OFFERED: StoredWork = {
  runKey: 7,
  slot: 'train[3]',
  attempt: 1,
  tenantId: 'tenant-a',
  revision: 1,
  state: 'offered',
  queue: 'gpu',
  handler: 'train',
  irreversible: false,
  secrets: false,
  engineAttempt: 1,
  offeredAt: START_MS,
  touchedAt: START_MS,
  claims: 0,
  body: '{"input":{"é":"𝄞"}}',
}
const CLAIM = { sha256: 'ab'.repeat(32), worker: 'w1', at: START_MS + 1, until: START_MS + 10, leaseMs: 9 }
const CLAIMED: StoredWork = {
  ...OFFERED,
  revision: 2,
  state: 'claimed',
  claims: 1,
  claim: CLAIM,
  touchedAt: START_MS + 1,
}
const WANTED: WorkWanted = { queues: ['cpu', 'gpu'], handlers: ['train', 'test'], secrets: false, now: START_MS + 5 }
const WORKER: StoredWorker = {
  tenantId: 'tenant-a',
  worker: 'w1',
  actorId: 'key:1',
  askedAt: START_MS,
  body: '{"a":1}',
}

const named = (works: readonly StoredWork[]): readonly string[] => works.map(({ slot }) => slot)

export const WORK_CASES: readonly StoreCase[] = [
  {
    title: 'work comes back as it was put, and its claim is found within its tenant alone',
    run: async (world) => {
      assert.equal(await world.store.putWork(OFFERED), true)
      assert.equal(await world.store.putWork(CLAIMED), true)
      const reported = { ...CLAIMED, revision: 3, state: 'reported' as const, report: '{"outcome":"completed"}' }
      const store = await world.reopen()
      assert.deepEqual(await store.findWork(OFFERED), CLAIMED)
      assert.equal(await store.putWork(reported), true)
      assert.deepEqual(await store.findClaim('tenant-a', CLAIM.sha256), reported)
      assert.equal(await store.findClaim('tenant-b', CLAIM.sha256), undefined)
      assert.equal(await store.findClaim('tenant-a', 'cd'.repeat(32)), undefined)
      assert.equal(await store.findWork({ ...OFFERED, attempt: 2 }), undefined)
      await store.deleteWork(OFFERED)
      assert.equal(await store.findWork(OFFERED), undefined)
      await refusedWith('STORE_SCOPE_MISSING', () => store.findClaim('', CLAIM.sha256))
    },
  },
  {
    title: 'of many who claim one work one succeeds, and what was offered stays as it was',
    run: async ({ store }) => {
      const first = await Promise.all([1, 2, 3, 4].map(() => store.putWork(OFFERED)))
      assert.equal(first.filter(Boolean).length, 1)
      const claims = [1, 2, 3, 4].map((n) => ({ ...CLAIMED, claim: { ...CLAIM, worker: `w${n}` } }))
      const answers = await Promise.all(claims.map((one) => store.putWork(one)))
      assert.equal(answers.filter(Boolean).length, 1)
      assert.deepEqual(await store.findWork(OFFERED), claims[answers.indexOf(true)])
      const { claim: _claim, ...again } = { ...CLAIMED, revision: 3, state: 'offered' as const }
      assert.equal(await store.putWork({ ...again, queue: 'other', body: '{}' }), true)
      assert.deepEqual(await store.findWork(OFFERED), again)
      assert.equal(await store.putWork({ ...CLAIMED, revision: 9 }), false)
    },
  },
  {
    title: 'a claim that another one takes the place of is kept, with one report of its worker, as long as its work',
    run: async (world) => {
      const before = world.store
      const next = { ...CLAIM, sha256: 'cd'.repeat(32), worker: 'w2', at: START_MS + 20, until: START_MS + 29 }
      await before.putWork(OFFERED)
      await before.putWork(CLAIMED)
      assert.equal(await before.findEndedClaim('tenant-a', CLAIM.sha256), undefined)
      await before.putWork({ ...CLAIMED, revision: 3, claim: { ...CLAIM, until: START_MS + 19 } })
      assert.equal(await before.findEndedClaim('tenant-a', CLAIM.sha256), undefined)
      await before.putWork({ ...CLAIMED, revision: 4, engineAttempt: 3, claims: 2, claim: next })
      const ended = { runKey: 7, slot: 'train[3]', attempt: 1, engineAttempt: 1, at: START_MS + 1 }
      const store = await world.reopen()
      assert.deepEqual(await store.findEndedClaim('tenant-a', CLAIM.sha256), ended)
      assert.equal(await store.findClaim('tenant-a', CLAIM.sha256), undefined)
      assert.equal(await store.findEndedClaim('tenant-b', CLAIM.sha256), undefined)
      assert.equal(await store.reportEndedClaim('tenant-b', CLAIM.sha256, '{}'), false)
      assert.equal(await store.reportEndedClaim('tenant-a', next.sha256, '{}'), false)
      assert.equal(await store.reportEndedClaim('tenant-a', CLAIM.sha256, '{"é":1}'), true)
      assert.equal(await store.reportEndedClaim('tenant-a', CLAIM.sha256, '{"é":2}'), false)
      assert.deepEqual(await store.findEndedClaim('tenant-a', CLAIM.sha256), { ...ended, report: '{"é":1}' })
      const { claim: _claim, ...free } = {
        ...CLAIMED,
        revision: 5,
        state: 'offered' as const,
        engineAttempt: 3,
        claims: 2,
      }
      await store.putWork(free)
      assert.deepEqual(await store.findEndedClaim('tenant-a', next.sha256), { ...ended, engineAttempt: 4, at: next.at })
      await refusedWith('STORE_SCOPE_MISSING', () => store.findEndedClaim('', CLAIM.sha256))
      await store.deleteWork(OFFERED)
      assert.equal(await store.findEndedClaim('tenant-a', CLAIM.sha256), undefined)
      assert.equal(await store.findEndedClaim('tenant-a', next.sha256), undefined)
    },
  },
  {
    title: 'open work is what a worker of the tenant can do, the longest offered first',
    run: async ({ store }) => {
      const later = { ...OFFERED, slot: 'later', offeredAt: START_MS + 1 }
      const others = [
        { ...OFFERED, slot: 'of-another-tenant', tenantId: 'tenant-b' },
        { ...OFFERED, slot: 'of-another-queue', queue: 'tpu' },
        { ...OFFERED, slot: 'of-another-handler', handler: 'serve' },
        { ...OFFERED, slot: 'with-secrets', secrets: true },
        { ...OFFERED, slot: 'closed', state: 'closed' as const },
      ]
      for (const one of [later, OFFERED, ...others]) assert.equal(await store.putWork(one), true)
      assert.deepEqual(await store.openWork('tenant-a', WANTED, 9), [OFFERED, later])
      assert.deepEqual(await store.openWork('tenant-a', WANTED, 1), [OFFERED])
      const trusted = await store.openWork('tenant-a', { ...WANTED, secrets: true }, 9)
      assert.deepEqual(named(trusted), ['train[3]', 'with-secrets', 'later'])
      await refusedWith('STORE_SCOPE_MISSING', () => store.openWork('', WANTED, 1))
    },
  },
  {
    title: 'claimed work is open again when its time is over, and what is irreversible is not',
    run: async ({ store }) => {
      const final = { ...OFFERED, slot: 'pay', irreversible: true }
      for (const one of [OFFERED, final, CLAIMED, { ...CLAIMED, slot: 'pay', irreversible: true }])
        assert.equal(await store.putWork(one), true)
      assert.deepEqual(await store.openWork('tenant-a', { ...WANTED, now: CLAIM.until - 1 }, 9), [])
      assert.deepEqual(named(await store.openWork('tenant-a', { ...WANTED, now: CLAIM.until }, 9)), ['train[3]'])
    },
  },
  {
    title: 'work that moved is told by its revision, and work that nobody touched by its age',
    run: async ({ store }) => {
      const still = { ...OFFERED, slot: 'still', touchedAt: START_MS - 5 }
      for (const one of [OFFERED, still, CLAIMED]) await store.putWork(one)
      const seen = [OFFERED, still, { ...OFFERED, slot: 'unknown' }]
      assert.deepEqual(await store.movedWork(seen), [CLAIMED])
      assert.deepEqual(await store.movedWork([]), [])
      assert.deepEqual(await store.untouchedWork(START_MS + 1, 9), [still])
      assert.deepEqual(named(await store.untouchedWork(START_MS + 2, 9)), ['still', 'train[3]'])
      assert.deepEqual(named(await store.untouchedWork(START_MS + 2, 1)), ['still'])
    },
  },
  {
    title: 'what nobody has reported is listed with its run, the longest offered first, and says who has it',
    run: async (world) => {
      const { store } = world
      const { runKey } = await bootstrap(world, { runId: 'r1' })
      const late = { ...OFFERED, runKey, slot: 'train[4]', offeredAt: START_MS + 1 }
      const reported = { ...OFFERED, runKey, slot: 'train[5]', state: 'reported' as const }
      for (const one of [late, reported, { ...OFFERED, runKey }, { ...CLAIMED, runKey }]) await store.putWork(one)
      const shown = { runId: 'r1', attempt: 1, queue: 'gpu', handler: 'train' }
      const { worker, at, until } = CLAIM
      const first = { ...shown, slot: 'train[3]', offeredAt: START_MS, claims: 1, claim: { worker, at, until } }
      const second = { ...shown, slot: 'train[4]', offeredAt: START_MS + 1, claims: 0 }
      assert.deepEqual(await store.listWork('tenant-a', 9), [first, second])
      assert.deepEqual(await store.listWork('tenant-a', 1), [first])
      assert.deepEqual(await store.listWork('tenant-b', 9), [])
      await refusedWith('STORE_SCOPE_MISSING', () => store.listWork('', 9))
    },
  },
  {
    title: 'workers are listed within their tenant, who asked last first, and are forgotten by age',
    run: async ({ store }) => {
      const twin = { ...WORKER, actorId: 'key:2', askedAt: START_MS + 3 }
      for (const one of [WORKER, twin, { ...WORKER, tenantId: 'tenant-b' }]) await store.noteWorker(one)
      assert.deepEqual(await store.listWorkers('tenant-a', 9), [twin, WORKER])
      const again = { ...WORKER, askedAt: START_MS + 4, body: '{"a":2}' }
      await store.noteWorker(again)
      await store.noteWorker({ ...WORKER, body: '{"old":true}' })
      assert.deepEqual(await store.listWorkers('tenant-a', 9), [again, twin])
      assert.deepEqual(await store.listWorkers('tenant-a', 1), [again])
      await store.dropWorkers(START_MS + 4)
      assert.deepEqual(await store.listWorkers('tenant-a', 9), [again])
      assert.deepEqual(await store.listWorkers('tenant-b', 9), [])
      await refusedWith('STORE_SCOPE_MISSING', () => store.listWorkers('', 1))
    },
  },
]
