/** API keys for a command: those in the store of this place, of any tenant, or those of the caller's tenant behind a server. */
import { randomBytes } from 'node:crypto'
import { isApiKey, issueApiKey } from '../../../app/identity/api-key.ts'
import type { Role } from '../../../core/authority/actions.ts'
import { appendAll } from '../../../core/collections/append-all.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { Client } from '../../../client/connect.ts'
import { servicesOf } from '../../../library/services-of.ts'
import type { ApiKeyStore, StoredApiKey } from '../../../ports/api-keys.ts'
import { serverUrl, type Place } from '../files/place.ts'
import { needServer } from '../remote/server-client.ts'
import type { Options } from '../terminal/command.ts'
import { openToLook } from './look.ts'
import { openExisting, openOrCreate } from './session.ts'

export interface AskedKey {
  /** Behind a server it is the caller's. */
  readonly tenantId?: string
  readonly roles: readonly Role[]
  readonly actorId?: string
  readonly displayName?: string
  readonly expiresAt?: number
}

export interface IssuedKey {
  readonly keyId: string
  /** Shown once. */
  readonly key: string
  readonly tenantId: string
}

/** With its instants as texts, and without its secret. */
export interface ShownKey {
  readonly keyId: string
  readonly tenantId: string
  readonly actorId: string
  readonly roles: readonly string[]
  readonly displayName?: string
  readonly expiresAt?: string
  readonly revokedAt?: string
  readonly lastUsedAt?: string
}

export interface KeyCalls {
  create(asked: AskedKey, now: number): Promise<IssuedKey>
  list(tenantId: string | undefined): Promise<readonly ShownKey[]>
  revoke(keyId: string, now: number): Promise<{ readonly tenantId: string; readonly revokedAt: string }>
}

/** `place`: where the runs are, by the settings of a server; asked for only where no server is asked. */
export async function keyCalls(options: Options, place: () => Place): Promise<KeyCalls> {
  return serverUrl(options) === undefined ? keysHere(place()) : keysAfar(await needServer(options))
}

function keysHere(place: Place): KeyCalls {
  return {
    create: async (asked, now) => {
      const { tenantId = fail('USAGE', '--tenant is missing: whose key is it?') } = asked
      const keelson = await openOrCreate(place)
      try {
        const key = { ...asked, tenantId, createdBy: 'local' }
        return { ...(await issueApiKey(servicesOf(keelson).store, { bytes: randomBytes }, key, now)), tenantId }
      } finally {
        await keelson.close()
      }
    },
    list: async (tenantId) => {
      const store = await openToLook(place)
      try {
        return (await keysOf(store, tenantId)).map(shownKey)
      } finally {
        await store.close()
      }
    },
    revoke: async (keyId, now) => {
      const keelson = await openExisting(place)
      try {
        const { store } = servicesOf(keelson)
        const found = await store.findApiKey(keyId)
        if (found === undefined || !(await store.revokeApiKey(found.tenantId, keyId, now)))
          return fail('KEY_NOT_FOUND', `there is no key '${keyId}' here`)
        return { tenantId: found.tenantId, revokedAt: isoFromMs(found.revokedAt ?? now) }
      } finally {
        await keelson.close()
      }
    },
  }
}

async function keysOf(store: ApiKeyStore, tenantId: string | undefined): Promise<readonly StoredApiKey[]> {
  const tenants = tenantId === undefined ? (await store.listTenants()).map((one) => one.tenantId) : [tenantId]
  const keys: StoredApiKey[] = []
  for (const tenant of tenants) appendAll(keys, await store.listApiKeys(tenant))
  return keys
}

function shownKey({
  secretSha256: _secret,
  createdAt,
  expiresAt,
  revokedAt,
  lastUsedAt,
  ...key
}: StoredApiKey): ShownKey {
  const instants = { createdAt, expiresAt, revokedAt, lastUsedAt }
  const told = Object.entries(instants).flatMap(([name, at]) => (at === undefined ? [] : [[name, isoFromMs(at)]]))
  return { ...key, ...Object.fromEntries(told) }
}

function keysAfar(client: Client): KeyCalls {
  return {
    create: async ({ tenantId: named, expiresAt, ...asked }) => {
      const tenantId = await ownTenant(client, named)
      const body = { ...asked, ...(expiresAt === undefined ? {} : { expiresAt: isoFromMs(expiresAt) }) }
      return { ...(await client.call('createKey', { body })), tenantId }
    },
    list: async (named) => {
      const tenantId = await ownTenant(client, named)
      return (await client.call('listKeys')).keys.map((key) => ({ ...key, tenantId }))
    },
    revoke: async (keyId) => {
      const { tenantId } = await client.me()
      return { tenantId, revokedAt: (await client.call('revokeKey', { params: { keyId } })).revokedAt }
    },
  }
}

/** A server shows and makes keys of the caller's tenant alone. */
async function ownTenant(client: Client, named: string | undefined): Promise<string> {
  const { tenantId } = await client.me()
  if (named !== undefined && named !== tenantId)
    fail('AUTHZ_TENANT_FORBIDDEN', `${client.url} takes you for somebody of '${tenantId}', not of '${named}'`)
  return tenantId
}

/** Who has the whole key at hand may name it by that. */
export function keyIdOf(given: string): string {
  return isApiKey(given) ? (given.split('_')[1] ?? '') : given
}
