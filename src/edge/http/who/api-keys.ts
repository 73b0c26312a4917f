/** A caller by API key: `Authorization: Bearer kls_…`. */
import { isApiKey, openingKey } from '../../../app/identity/api-key.ts'
import type { Caller } from '../../../app/identity/caller.ts'
import { knownRoles } from '../../../app/identity/give-roles.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { BoundedCache } from '../../../app/schemas/bounded-cache.ts'
import type { ApiKeyStore, StoredApiKey } from '../../../ports/api-keys.ts'
import { bearerOf } from './bearer.ts'
import type { WhoAsks } from './who-asks.ts'

export interface ApiKeyWays {
  readonly store: ApiKeyStore
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** How exact the time of the last use is: not every request writes. */
const NOTED_EVERY_MS = 60_000
const KEYS_KEPT = 10_000

export function byApiKey({ store, now }: ApiKeyWays): WhoAsks {
  const noted = new BoundedCache<string, number>(KEYS_KEPT)
  const note = ({ keyId, lastUsedAt }: StoredApiKey, at: number): void => {
    const before = noted.get(keyId) ?? lastUsedAt ?? 0
    if (at < before + NOTED_EVERY_MS) return
    noted.set(keyId, at)
    // Nobody waits for it, and a request does not fail for it.
    void store.noteApiKeyUse(keyId, at).catch(() => noted.delete(keyId))
  }
  return async (credentials) => {
    const text = bearerOf(credentials)
    if (text === undefined || !isApiKey(text)) return undefined
    const at = now()
    const key = await openingKey(store, text, at)
    if (key === undefined) return undefined
    note(key, at)
    return callerOf(key)
  }
}

function callerOf({ tenantId, actorId, roles, displayName, expiresAt }: StoredApiKey): Caller {
  const { projectId, environmentId } = LOCAL_PRINCIPAL
  const more = {
    ...(displayName === undefined ? {} : { displayName }),
    ...(expiresAt === undefined ? {} : { keyEndsAt: expiresAt }),
  }
  return { tenantId, projectId, environmentId, actorId, kind: 'key', roles: knownRoles(roles), ...more }
}
