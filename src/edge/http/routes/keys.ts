/** API keys of the caller's tenant. */
import { randomBytes } from 'node:crypto'
import { issueApiKey } from '../../../app/identity/api-key.ts'
import type { Caller } from '../../../app/identity/caller.ts'
import { mayGive } from '../../../app/identity/give-roles.ts'
import * as api from '../../../core/api/process.ts'
import { roleOf, ROLES, type Role } from '../../../core/authority/actions.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isSamePerson } from '../../../core/run/people/person.ts'
import { isoFromMs, msFromIso } from '../../../core/time.ts'
import { servicesOf } from '../../../library/services-of.ts'
import type { StoredApiKey } from '../../../ports/api-keys.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'

export const KEYS: readonly BoundRoute[] = [
  bind(api.listKeys, async ({ caller, keelson }) => {
    const keys = await servicesOf(keelson).store.listApiKeys(caller.tenantId)
    return { body: { keys: keys.map(shownKey) } }
  }),
  bind(api.createKey, async ({ caller, keelson, body, world }) => {
    const { displayName } = body
    const now = world.now()
    const expiresAt = endOf(body.expiresAt, caller, now)
    const key = {
      tenantId: caller.tenantId,
      actorId: makersName(body.actorId, caller),
      roles: givenRoles(body.roles, caller),
      createdBy: caller.actorId,
      ...(displayName === undefined ? {} : { displayName }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    const { store } = servicesOf(keelson)
    const issued = await issueApiKey(store, { bytes: randomBytes }, key, now)
    return { status: 201, body: { keyId: issued.keyId, key: issued.key } }
  }),
  bind(api.revokeKey, async ({ caller, keelson, params, world }) => {
    const { store } = servicesOf(keelson)
    const isKnown = await store.revokeApiKey(caller.tenantId, params.keyId, world.now())
    const key = isKnown ? await store.findApiKey(params.keyId) : undefined
    if (key?.revokedAt === undefined) return fail('KEY_NOT_FOUND', 'there is no such key')
    return { body: { keyId: key.keyId, revokedAt: isoFromMs(key.revokedAt) } }
  }),
]

/**
 * Whoever makes a key has its secret, and so could be the second person of their own wish under any other name. A key that is made
 * over the network therefore acts as its maker; other names are given where the store is (`keelson keys create --actor`).
 */
function makersName(asked: string | undefined, { actorId }: Caller): string {
  if (asked === undefined || isSamePerson(asked, actorId)) return actorId
  return fail('AUTHZ_DENIED', `${actorId} cannot make a key in the name of ${asked}: a key acts as whoever makes it`, {
    pointer: '/actorId',
  })
}

function givenRoles(words: readonly string[], { actorId, roles: own }: Caller): readonly Role[] {
  if (words.length === 0) fail('BODY_INVALID', 'body: a key needs one role or more', { pointer: '/roles' })
  return words.map((word, index) => {
    const pointer = `/roles/${index}`
    const role = roleOf(word)
    if (role === undefined)
      return fail('BODY_INVALID', `body: '${word}' is no role`, { pointer, ...didYouMean(word, ROLES) })
    return mayGive(own, role)
      ? role
      : fail('AUTHZ_DENIED', `${actorId} cannot give the role ${role}: it can do what ${actorId} cannot`)
  })
}

/** Whoever had a key for a while would otherwise make one for ever of it. */
function endOf(asked: string | undefined, { actorId, keyEndsAt }: Caller, now: number): number | undefined {
  const endsAt = asked === undefined ? keyEndsAt : laterInstant(asked, now)
  return endsAt === undefined || keyEndsAt === undefined || endsAt <= keyEndsAt
    ? endsAt
    : fail('AUTHZ_DENIED', `${actorId} cannot make a key that outlives the key it is made with`, {
        pointer: '/expiresAt',
      })
}

function laterInstant(text: string, now: number): number {
  const at = msFromIso(text)
  return at === undefined || at <= now
    ? fail('BODY_INVALID', 'body: expiresAt is an instant after now, such as 2031-01-31T00:00:00Z', {
        pointer: '/expiresAt',
      })
    : at
}

function shownKey({ keyId, actorId, roles, createdAt, createdBy, ...key }: StoredApiKey): object {
  return {
    keyId,
    actorId,
    roles,
    createdAt: isoFromMs(createdAt),
    createdBy,
    ...(key.displayName === undefined ? {} : { displayName: key.displayName }),
    ...(key.expiresAt === undefined ? {} : { expiresAt: isoFromMs(key.expiresAt) }),
    ...(key.revokedAt === undefined ? {} : { revokedAt: isoFromMs(key.revokedAt) }),
    ...(key.lastUsedAt === undefined ? {} : { lastUsedAt: isoFromMs(key.lastUsedAt) }),
  }
}
