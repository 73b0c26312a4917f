/** A caller by a token of an OIDC issuer: `Authorization: Bearer <JWT>`. Who it is, for which tenant and with which roles comes from claims. */
import { jwtVerify, type JWTPayload } from 'jose'
import { isName } from '../../../app/identity/api-key.ts'
import type { Caller } from '../../../app/identity/caller.ts'
import { knownRoles } from '../../../app/identity/give-roles.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { ApiKeyStore } from '../../../ports/api-keys.ts'
import { bearerOf } from './bearer.ts'
import { IssuerKeys, type Issuer } from './issuer-keys.ts'
import type { WhoAsks } from './who-asks.ts'

/** Names of claims; a name with dots is looked for as it stands, then as a path. */
export interface ClaimNames {
  readonly tenant: string
  readonly actor: string
  readonly roles: string
}

export interface Oidc extends Issuer {
  readonly audience: string
  readonly algorithms: readonly string[]
  readonly claims: ClaimNames
}

export interface OidcWays {
  readonly store: Pick<ApiKeyStore, 'findTenant'>
  /** Epoch milliseconds. */
  readonly now: () => number
  /** A clock for durations, in milliseconds; default `performance.now`. */
  readonly elapsedMs?: () => number
}

const TOKEN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/
const SKEW_S = 60

export function byOidc(oidc: Oidc, { store, now, elapsedMs }: OidcWays): WhoAsks {
  const keys = new IssuerKeys(oidc, elapsedMs)
  return async (credentials) => {
    const token = bearerOf(credentials)
    if (token === undefined || !TOKEN.test(token)) return undefined
    const claims = await verified(token, keys, oidc, now())
    const caller = claims === undefined ? undefined : callerOf(claims, oidc.claims)
    if (caller === undefined) return undefined
    const tenant = await store.findTenant(caller.tenantId)
    return tenant?.deletedAt === undefined ? caller : undefined
  }
}

/** Whatever is wrong with a token, nobody is told what. */
async function verified(token: string, keys: IssuerKeys, oidc: Oidc, now: number): Promise<JWTPayload | undefined> {
  const { issuer, audience, algorithms } = oidc
  try {
    const { payload } = await jwtVerify(token, keys.find, {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: SKEW_S,
      currentDate: new Date(now),
      requiredClaims: ['exp'],
    })
    return payload
  } catch (thrown) {
    if (thrown instanceof KeelsonError) throw thrown
    return undefined
  }
}

function callerOf(claims: JWTPayload, names: ClaimNames): Caller | undefined {
  const [tenantId, actorId] = [names.tenant, names.actor].map((name) => claimOf(claims, name))
  if (typeof tenantId !== 'string' || typeof actorId !== 'string' || !isName(tenantId) || !isName(actorId))
    return undefined
  const { projectId, environmentId } = LOCAL_PRINCIPAL
  const roles = knownRoles(wordsOf(claimOf(claims, names.roles)))
  return { tenantId, projectId, environmentId, actorId, kind: 'user', roles }
}

function claimOf(claims: JWTPayload, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[part]
  }
  return value
}

/** A list, or words as in `scope`. */
function wordsOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ')
  return Array.isArray(claim) ? claim.filter((one): one is string => typeof one === 'string') : []
}
