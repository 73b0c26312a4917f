/** Cases about plans: their owners, that a version means one plan, and what their names mean. */
import assert from 'node:assert/strict'
import type { StoredPlan } from '../../ports/plan-store.ts'
import type { StoreCase } from './store-case.ts'

const PLAN: StoredPlan = { tenantId: 't1', sha256: 'aa', planId: 'p', planVersion: '1', text: '{"v":1}' }
const OTHER: StoredPlan = { ...PLAN, sha256: 'bb', text: '{"v":"other"}' }
const NEXT: StoredPlan = { ...PLAN, sha256: 'cc', planVersion: '2', text: '{"v":2}' }
const STORED = { kind: 'stored' }
const SOURCE = { sha256: 'a'.repeat(64), sizeBytes: 7, from: 'dvt' }

export const PLAN_CASES: readonly StoreCase[] = [
  {
    title:
      'a publication keeps what its plan was made of, for its tenant; publishing the same plan again changes nothing',
    run: async ({ store }) => {
      const ofPlan = async (): Promise<unknown> => store.findPlanSource('t1', 'aa')
      await store.putPlan(PLAN, { source: SOURCE })
      assert.equal(await ofPlan(), undefined)
      await store.putPlan(PLAN, { publish: true, source: SOURCE })
      assert.deepEqual(await ofPlan(), SOURCE)
      await store.putPlan(PLAN, { publish: true, source: { ...SOURCE, sizeBytes: 8 } })
      assert.deepEqual(await ofPlan(), SOURCE)
      assert.equal(await store.findPlanSource('t2', 'aa'), undefined)
      await store.putPlan(NEXT, { publish: true })
      assert.equal(await store.findPlanSource('t1', 'cc'), undefined)
    },
  },
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
    title: 'published plans are listed by id and by version, each by its newest publication, for their tenant alone',
    run: async ({ store }) => {
      const first = { ...PLAN, planId: 'b', sha256: 'b1' }
      const again = { ...first, sha256: 'b2' }
      const named = [first, NEXT, PLAN, { ...PLAN, planId: 'Z', sha256: 'z1' }]
      for (const plan of named) await store.putPlan(plan, { publish: true })
      await store.putPlan(again, { publish: true, replaceVersion: true })
      await store.putPlan({ ...PLAN, planId: 'only-stored', sha256: 'os' })
      await store.putPlan({ ...PLAN, tenantId: 't2', planId: 'a', sha256: 'a1' }, { publish: true })
      const names = (
        plans: readonly { readonly planId: string; readonly planVersion: string; readonly sha256: string }[],
      ) => plans.map(({ planId, planVersion, sha256 }) => `${planId} ${planVersion} ${sha256}`)
      assert.deepEqual(names(await store.listPlans('t1', '', 10)), ['Z 1 z1', 'b 1 b2', 'p 1 aa'])
      assert.deepEqual(names(await store.listPlans('t1', 'Z', 1)), ['b 1 b2'])
      assert.deepEqual(names(await store.listPlans('t1', 'p', 10)), [])
      assert.deepEqual(names(await store.listPlanVersions('t1', 'p', 10)), ['p 1 aa', 'p 2 cc'])
      assert.deepEqual(names(await store.listPlanVersions('t1', 'b', 10)), ['b 1 b2'])
      assert.deepEqual(names(await store.listPlanVersions('t2', 'p', 10)), [])
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
