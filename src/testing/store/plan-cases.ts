/** Cases about plans: their owners, that a version means one plan, and what their names mean. */
import assert from 'node:assert/strict'
import type { StoredPlan } from '../../ports/plan-store.ts'
import type { StoreCase } from './store-case.ts'

const PLAN: StoredPlan = { tenantId: 't1', sha256: 'aa', planId: 'p', planVersion: '1', text: '{"v":1}' }
const OTHER: StoredPlan = { ...PLAN, sha256: 'bb', text: '{"v":"other"}' }
const NEXT: StoredPlan = { ...PLAN, sha256: 'cc', planVersion: '2', text: '{"v":2}' }
const STORED = { kind: 'stored' }

export const PLAN_CASES: readonly StoreCase[] = [
  {
    title: 'a plan is stored once by its hash, and found by its id once it is published, the newest first',
    run: async ({ store }) => {
      assert.deepEqual(await store.putPlan(PLAN), STORED)
      assert.equal(await store.getPlan('t1', 'aa'), '{"v":1}')
      assert.equal(await store.findPlan('t1', 'p'), undefined)
      assert.deepEqual(await store.putPlan({ ...PLAN, text: 'changed' }, { publish: true }), STORED)
      assert.equal(await store.getPlan('t1', 'aa'), '{"v":1}')
      assert.equal(await store.getPlan('t1', 'zz'), undefined)
      assert.deepEqual(await store.putPlan(NEXT, { publish: true }), STORED)
      assert.equal(await store.findPlan('t1', 'p'), 'cc')
      assert.equal(await store.findPlan('t1', 'p', '1'), 'aa')
      assert.equal(await store.findPlan('t1', 'p', '3'), undefined)
      assert.equal(await store.findPlan('t1', 'q'), undefined)
      assert.deepEqual(await store.putPlan(PLAN, { publish: true }), STORED)
      assert.equal(await store.findPlan('t1', 'p'), 'cc')
    },
  },
  {
    title: 'publications of all tenants are paged in their order; a plan that is only stored is none of them',
    run: async ({ store }) => {
      await store.putPlan(OTHER)
      for (const plan of [NEXT, { ...PLAN, tenantId: 't2' }]) await store.putPlan(plan, { publish: true })
      const [first, ...more] = await store.pagePublications(0, 1)
      assert.deepEqual(more, [])
      const rest = await store.pagePublications(first?.position ?? 0, 10)
      const named = [first, ...rest].map((one) => [one?.tenantId, one?.planId, one?.planVersion, one?.sha256])
      assert.deepEqual(named, [
        ['t1', 'p', '2', 'cc'],
        ['t2', 'p', '1', 'aa'],
      ])
      assert.deepEqual(await store.pagePublications(rest[0]?.position ?? 0, 10), [])
    },
  },
  {
    title: 'a plan of another tenant is never found, whether by its id or by its hash',
    run: async ({ store }) => {
      await store.putPlan(PLAN, { publish: true })
      for (const tenantId of ['t2', 'T1', 't1 ', '', 't']) {
        assert.equal(await store.getPlan(tenantId, 'aa'), undefined)
        assert.equal(await store.findPlan(tenantId, 'p'), undefined)
        assert.equal(await store.findPlan(tenantId, 'p', '1'), undefined)
      }
      const mine = { ...PLAN, tenantId: 't2', text: '{"v":"mine"}' }
      assert.deepEqual(await store.putPlan(mine), STORED)
      assert.deepEqual(await store.putPlan({ ...OTHER, tenantId: 't3' }, { publish: true }), STORED)
      assert.equal(await store.getPlan('t2', 'aa'), '{"v":"mine"}')
      assert.equal(await store.findPlan('t2', 'p'), undefined)
      assert.equal(await store.findPlan('t3', 'p'), 'bb')
      assert.equal(await store.findPlan('t1', 'p'), 'aa')
      assert.equal(await store.getPlan('t1', 'aa'), '{"v":1}')
    },
  },
  {
    title: 'a second plan under an id and version is refused, published or not, and nothing of it is kept',
    run: async ({ store }) => {
      const exists = { kind: 'version-exists', sha256: 'aa' }
      await store.putPlan(PLAN)
      assert.deepEqual(await store.putPlan(OTHER), exists)
      assert.deepEqual(await store.putPlan(OTHER, { publish: true }), exists)
      assert.equal(await store.getPlan('t1', 'bb'), undefined)
      assert.equal(await store.findPlan('t1', 'p'), undefined)
      await store.putPlan(PLAN, { publish: true })
      assert.deepEqual(await store.putPlan(OTHER, { publish: true }), exists)
      assert.equal(await store.findPlan('t1', 'p', '1'), 'aa')
    },
  },
  {
    title: 'who says so replaces what an id and version lead to, as often as they like, and back again',
    run: async ({ store }) => {
      await store.putPlan(PLAN, { publish: true })
      assert.deepEqual(await store.putPlan(OTHER, { replaceVersion: true }), STORED)
      assert.equal(await store.findPlan('t1', 'p'), 'aa')
      assert.deepEqual(await store.putPlan(OTHER, { publish: true }), { kind: 'version-exists', sha256: 'aa' })
      for (const [plan, hash] of [
        [OTHER, 'bb'],
        [PLAN, 'aa'],
        [OTHER, 'bb'],
      ] as const) {
        assert.deepEqual(await store.putPlan(plan, { publish: true, replaceVersion: true }), STORED)
        assert.equal(await store.findPlan('t1', 'p', '1'), hash)
        assert.equal(await store.findPlan('t1', 'p'), hash)
      }
      assert.deepEqual(await store.putPlan(PLAN), STORED)
      assert.equal(await store.getPlan('t1', 'aa'), '{"v":1}')
    },
  },
  {
    title: 'of many who bring other plans for one version at once, one is the first and all others are refused',
    run: async ({ store }) => {
      const many = Array.from({ length: 8 }, (_, n) => ({ ...PLAN, sha256: `h${n}`, text: `${n}` }))
      const answers = await Promise.all(many.map((plan) => store.putPlan(plan, { publish: true })))
      const winner = many[answers.findIndex(({ kind }) => kind === 'stored')]?.sha256
      assert.equal(answers.filter(({ kind }) => kind === 'stored').length, 1)
      assert.equal(await store.findPlan('t1', 'p', '1'), winner)
      for (const { sha256, text } of many)
        assert.equal(await store.getPlan('t1', sha256), sha256 === winner ? text : undefined)
      const replaced = await Promise.all(
        many.map((plan) => store.putPlan(plan, { publish: true, replaceVersion: true })),
      )
      assert.ok(replaced.every(({ kind }) => kind === 'stored'))
      for (const { sha256, text } of many) assert.equal(await store.getPlan('t1', sha256), text)
    },
  },
]
