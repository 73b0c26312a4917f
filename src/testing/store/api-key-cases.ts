/** Cases about the keys of a server and its tenants: found across tenants by their id, changed only within their own. */
import assert from 'node:assert/strict'
import type { StoredApiKey } from '../../ports/api-keys.ts'
import { refusedWith, START_MS, type StoreCase } from './store-case.ts'

const KEY: StoredApiKey = {
  keyId: 'k1',
  tenantId: 'tenant-a',
  secretSha256: new Uint8Array(32).fill(7),
  actorId: 'robot',
  roles: ['Operator', 'a "role"'],
  createdAt: START_MS,
  createdBy: 'ana',
}
const FULL: StoredApiKey = {
  ...KEY,
  keyId: 'k2',
  displayName: 'nightly',
  expiresAt: START_MS + 5,
  createdAt: START_MS + 1,
}

/** As text, so that kinds of byte arrays do not matter. */
function plain(key: StoredApiKey | undefined): unknown {
  return key === undefined ? undefined : { ...key, secretSha256: Buffer.from(key.secretSha256).toString('hex') }
}

export const API_KEY_CASES: readonly StoreCase[] = [
  {
    title: 'a key comes back as it was put, is found by its id alone, and is listed within its tenant, oldest first',
    run: async (world) => {
      const foreign = { ...KEY, keyId: 'k0', tenantId: 'tenant-b' }
      for (const key of [FULL, KEY, foreign]) assert.equal(await world.store.putApiKey(key), true)
      const store = await world.reopen()
      assert.deepEqual(plain(await store.findApiKey('k1')), plain(KEY))
      assert.deepEqual(plain(await store.findApiKey('k2')), plain(FULL))
      assert.equal((await store.findApiKey('k0'))?.tenantId, 'tenant-b')
      assert.equal(await store.findApiKey('K1'), undefined)
      assert.deepEqual((await store.listApiKeys('tenant-a')).map(plain), [plain(KEY), plain(FULL)])
      assert.deepEqual(await store.listApiKeys('tenant-c'), [])
      await refusedWith('STORE_SCOPE_MISSING', () => store.listApiKeys(''))
    },
  },
  {
    title: 'an id is used once: of many who put a key under it one succeeds, and nobody replaces it later',
    run: async ({ store }) => {
      const many = Array.from({ length: 12 }, (_, n) => ({ ...KEY, tenantId: `tenant-${n % 3}`, actorId: `a${n}` }))
      const answers = await Promise.all(many.map((key) => store.putApiKey(key)))
      assert.equal(answers.filter(Boolean).length, 1)
      const first = many[answers.indexOf(true)]
      await store.revokeApiKey(first?.tenantId ?? '', 'k1', START_MS)
      assert.equal(await store.putApiKey({ ...KEY, tenantId: 'tenant-z' }), false)
      assert.equal((await store.findApiKey('k1'))?.actorId, first?.actorId)
    },
  },
  {
    title: 'a key is revoked by its own tenant alone, and the first instant stays',
    run: async ({ store }) => {
      await store.putApiKey(KEY)
      assert.equal(await store.revokeApiKey('tenant-b', 'k1', START_MS), false)
      assert.equal((await store.findApiKey('k1'))?.revokedAt, undefined)
      assert.equal(await store.revokeApiKey('tenant-a', 'k1', START_MS + 1), true)
      assert.equal(await store.revokeApiKey('tenant-a', 'k1', START_MS + 2), true)
      assert.equal((await store.findApiKey('k1'))?.revokedAt, START_MS + 1)
      assert.equal(await store.revokeApiKey('tenant-a', 'k9', START_MS), false)
    },
  },
  {
    title: 'the last use of a key never moves backwards, however late it is noted',
    run: async ({ store }) => {
      await store.putApiKey(KEY)
      await store.noteApiKeyUse('nobody', START_MS)
      await Promise.all([3, 9, 1, 7].map((ms) => store.noteApiKeyUse('k1', START_MS + ms)))
      await store.noteApiKeyUse('k1', START_MS)
      assert.equal((await store.findApiKey('k1'))?.lastUsedAt, START_MS + 9)
    },
  },
  {
    title: 'a deleted tenant is marked once and stays known; its name is not given again',
    run: async (world) => {
      const put = (tenantId: string) => world.store.putTenant({ tenantId, createdAt: START_MS })
      assert.deepEqual([await put('b'), await put('B'), await put('é'), await put('b')], [true, true, true, false])
      assert.equal(await world.store.deleteTenant('b', START_MS + 1), true)
      assert.equal(await world.store.deleteTenant('b', START_MS + 2), false)
      assert.equal(await world.store.deleteTenant('none', START_MS), false)
      assert.equal(await put('b'), false)
      const store = await world.reopen()
      assert.deepEqual(await store.listTenants(), [
        { tenantId: 'B', createdAt: START_MS },
        { tenantId: 'b', createdAt: START_MS, deletedAt: START_MS + 1 },
        { tenantId: 'é', createdAt: START_MS },
      ])
      assert.deepEqual(await store.findTenant('B'), { tenantId: 'B', createdAt: START_MS })
      assert.equal(await store.findTenant('none'), undefined)
    },
  },
]
