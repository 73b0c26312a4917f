/** Cases about requests with an idempotency key: one owner at a time, one answer, for exactly as long as it counts. */
import assert from 'node:assert/strict'
import type { RequestAnswer, RequestTake } from '../../ports/idempotency.ts'
import { summary } from './run-fixtures.ts'
import { bootstrap, commitOne, nextCommit, refusedWith, rowOf, START_MS, type StoreCase } from './store-case.ts'

const TTL_MS = 600_000
const body = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)
const TAKE: RequestTake = {
  tenantId: 'tenant-a',
  route: 'POST /v1/executions',
  key: 'k-1',
  bodySha256: body(1),
  owner: 'one',
  now: START_MS,
  until: START_MS + 30_000,
  ttlMs: TTL_MS,
}
const ANSWER: RequestAnswer = { status: 202, headers: { location: '/v1/executions/r1' }, body: '{"ok":"ü"}' }

/** As text, so that kinds of byte arrays do not matter. */
function plain(answer: object): unknown {
  return {
    ...answer,
    ...('bodySha256' in answer ? { bodySha256: Buffer.from(answer.bodySha256 as Uint8Array)[0] } : {}),
  }
}

export const REQUEST_CASES: readonly StoreCase[] = [
  {
    title: 'of fifty who bring one key at once, one does the work and all others find it in flight',
    run: async ({ store }) => {
      const takes = Array.from({ length: 50 }, (_, n) => store.takeRequest({ ...TAKE, owner: `owner-${n}` }))
      const kinds = (await Promise.all(takes)).map(({ kind }) => kind)
      assert.equal(kinds.filter((kind) => kind === 'taken').length, 1)
      assert.equal(kinds.filter((kind) => kind === 'in-flight').length, 49)
    },
  },
  {
    title: 'an answer is kept for its time to the millisecond from when it was stored, and then counts as absent',
    run: async (world) => {
      const { store } = world
      const answeredAt = START_MS + 20 * 60_000
      assert.deepEqual(await store.takeRequest(TAKE), { kind: 'taken' })
      assert.equal(await store.noteExecution(TAKE, 'one', 'r1'), true)
      assert.equal(await store.keepRequest(TAKE, 'one', answeredAt + 1), true)
      const later = { ...TAKE, owner: 'two', now: answeredAt - 1 }
      const flying = { kind: 'in-flight', bodySha256: 1, executionId: 'r1' }
      assert.deepEqual(plain(await store.takeRequest(later)), flying)
      assert.equal(await store.answerRequest(TAKE, 'one', ANSWER, answeredAt), true)
      const answered = { kind: 'answered', bodySha256: 1, answer: ANSWER, answeredAt }
      const again = await world.reopen()
      assert.deepEqual(plain(await again.takeRequest({ ...later, now: answeredAt + TTL_MS })), answered)
      const over = { ...later, bodySha256: body(2), now: answeredAt + TTL_MS + 1, until: answeredAt + TTL_MS + 9 }
      assert.deepEqual(await again.takeRequest(over), { kind: 'taken' })
      const next = await again.takeRequest({ ...over, owner: 'three' })
      assert.deepEqual(plain(next), { kind: 'in-flight', bodySha256: 2 })
    },
  },
  {
    title: 'keys of other tenants and of other routes are other requests',
    run: async ({ store }) => {
      const others = [
        TAKE,
        { ...TAKE, tenantId: 'tenant-b' },
        { ...TAKE, route: 'POST /v1/plans' },
        { ...TAKE, key: 'K-1' },
      ]
      for (const take of others) assert.deepEqual(await store.takeRequest(take), { kind: 'taken' })
      await refusedWith('STORE_SCOPE_MISSING', () => store.takeRequest({ ...TAKE, tenantId: '' }))
    },
  },
  {
    title: 'a request whose owner is gone is taken over, once, with the execution it had; the first owner is too late',
    run: async ({ store }) => {
      await store.takeRequest(TAKE)
      await store.noteExecution(TAKE, 'one', 'r1')
      const at = { now: TAKE.until, until: TAKE.until + 5 }
      const takes = ['two', 'three', 'four'].map((owner) => store.takeRequest({ ...TAKE, owner, ...at }))
      const answers = await Promise.all(takes)
      const winner = ['two', 'three', 'four'][answers.findIndex(({ kind }) => kind === 'taken')] ?? ''
      assert.deepEqual(answers.map(({ kind }) => kind).sort(), ['in-flight', 'in-flight', 'taken'])
      for (const answer of answers) assert.equal('executionId' in answer && answer.executionId, 'r1')
      assert.equal(await store.keepRequest(TAKE, 'one', TAKE.until + 99), false)
      assert.equal(await store.answerRequest(TAKE, 'one', ANSWER, TAKE.until), false)
      assert.equal(await store.dropRequest(TAKE, 'one'), false)
      assert.equal(await store.answerRequest(TAKE, winner, ANSWER, TAKE.until), true)
    },
  },
  {
    title: 'another body is told what the first was, and never takes its request over',
    run: async ({ store }) => {
      await store.takeRequest(TAKE)
      const other = { ...TAKE, owner: 'two', bodySha256: body(2) }
      for (const now of [START_MS, TAKE.until + 1])
        assert.deepEqual(plain(await store.takeRequest({ ...other, now })), { kind: 'in-flight', bodySha256: 1 })
      await store.answerRequest(TAKE, 'one', ANSWER, START_MS)
      assert.equal((plain(await store.takeRequest(other)) as { bodySha256: number }).bodySha256, 1)
    },
  },
  {
    title: 'a request that failed is dropped, and the next with its key does the work',
    run: async ({ store }) => {
      await store.takeRequest(TAKE)
      await store.noteExecution(TAKE, 'one', 'r1')
      assert.equal(await store.dropRequest(TAKE, 'one'), true)
      assert.equal(await store.dropRequest(TAKE, 'one'), false)
      assert.deepEqual(await store.takeRequest({ ...TAKE, owner: 'two' }), { kind: 'taken' })
      assert.equal(await store.answerRequest(TAKE, 'two', ANSWER, START_MS), true)
      assert.equal(await store.dropRequest(TAKE, 'two'), false)
      assert.equal(await store.noteExecution(TAKE, 'two', 'r2'), false)
    },
  },
  {
    title: 'a sweep removes what was answered before its instant, of every tenant, and nothing that somebody has',
    run: async ({ store }) => {
      for (const [key, tenantId] of [
        ['old', 'tenant-a'],
        ['old', 'tenant-b'],
        ['new', 'tenant-a'],
      ] as const) {
        await store.takeRequest({ ...TAKE, tenantId, key })
        await store.answerRequest({ ...TAKE, tenantId, key }, 'one', ANSWER, START_MS + (key === 'old' ? 0 : 1))
      }
      await store.takeRequest({ ...TAKE, key: 'flying', until: START_MS + 1 })
      assert.equal(await store.sweepRequests(START_MS), 0)
      assert.equal(await store.sweepRequests(START_MS + 1), 2)
      const kindOf = async (key: string) => (await store.takeRequest({ ...TAKE, key, owner: 'two' })).kind
      assert.deepEqual([await kindOf('old'), await kindOf('new')], ['taken', 'answered'])
      assert.equal((await store.takeRequest({ ...TAKE, key: 'flying', bodySha256: body(3) })).kind, 'in-flight')
    },
  },
  {
    title: 'a sweep removes what a vanished owner left in flight, as soon as its run has ended or was never begun',
    run: async (world) => {
      const { store } = world
      const left = async (key: string, executionId?: string, tenantId = TAKE.tenantId): Promise<void> => {
        await store.takeRequest({ ...TAKE, key, tenantId, until: START_MS })
        if (executionId !== undefined) await store.noteExecution({ ...TAKE, key, tenantId }, 'one', executionId)
      }
      const ended = await bootstrap(world, { runId: 'ended' })
      await bootstrap(world, { runId: 'open' })
      await left('never')
      await left('gone', 'not-there')
      await left('ended', 'ended')
      await left('open', 'open')
      // The run of another tenant keeps nothing.
      await left('theirs', 'open', 'tenant-b')
      const summaryOfEnd = { summary: summary({ status: 'FAILED' as const, endedAt: START_MS }) }
      await commitOne(store, nextCommit(ended, [{ eventType: 'RunFailed' }], summaryOfEnd))
      assert.equal(await store.sweepRequests(START_MS), 0)
      const movedAt = (await rowOf(store, ended.runKey)).updatedAt
      assert.equal(await store.sweepRequests(Math.min(movedAt, START_MS + 1)), movedAt > START_MS ? 3 : 0)
      await store.sweepRequests(movedAt + 1)
      const kindOf = async (key: string, tenantId = TAKE.tenantId): Promise<readonly unknown[]> => {
        const taken = await store.takeRequest({
          ...TAKE,
          key,
          tenantId,
          owner: 'two',
          now: START_MS,
          bodySha256: body(9),
        })
        return [taken.kind, 'executionId' in taken ? taken.executionId : undefined]
      }
      for (const key of ['never', 'gone', 'ended']) assert.deepEqual(await kindOf(key), ['taken', undefined])
      assert.deepEqual(await kindOf('theirs', 'tenant-b'), ['taken', undefined])
      assert.deepEqual(await kindOf('open'), ['in-flight', 'open'])
    },
  },
  {
    title: 'an ended session stays ended for its tenant, after a restart too, until it would have ended by itself',
    run: async (world) => {
      const { store } = world
      assert.equal(await store.isSessionEnded('tenant-a', 's1'), false)
      await store.endSession('tenant-a', 's1', START_MS + 9)
      await store.endSession('tenant-a', 's1', START_MS + 9)
      const again = await world.reopen()
      const states = [again.isSessionEnded('tenant-a', 's1'), again.isSessionEnded('tenant-a', 's2')]
      assert.deepEqual(await Promise.all(states), [true, false])
      assert.equal(await again.isSessionEnded('tenant-b', 's1'), false)
      assert.equal(await again.sweepRequests(START_MS + 9), 0)
      assert.equal(await again.isSessionEnded('tenant-a', 's1'), true)
      assert.equal(await again.sweepRequests(START_MS + 10), 1)
      assert.equal(await again.isSessionEnded('tenant-a', 's1'), false)
      await refusedWith('STORE_SCOPE_MISSING', () => again.endSession('', 's1', START_MS))
    },
  },
  {
    title: 'the erasure of a run takes the answers that may hold its output [P-34]',
    run: async (world) => {
      const { store } = world
      const { runKey } = await bootstrap(world, { runId: 'r1' })
      for (const [tenantId, key, executionId] of [
        ['tenant-a', 'a', 'r1'],
        ['tenant-a', 'b', 'r2'],
        ['tenant-b', 'a', 'r1'],
      ] as const) {
        const ref = { ...TAKE, tenantId, key }
        await store.takeRequest(ref)
        await store.noteExecution(ref, 'one', executionId)
        await store.answerRequest(ref, 'one', ANSWER, START_MS)
      }
      await store.eraseData(runKey, 1)
      const kindOf = async (tenantId: string, key: string) => (await store.takeRequest({ ...TAKE, tenantId, key })).kind
      const kinds = [await kindOf('tenant-a', 'a'), await kindOf('tenant-a', 'b'), await kindOf('tenant-b', 'a')]
      assert.deepEqual(kinds, ['taken', 'answered', 'answered'])
    },
  },
]
