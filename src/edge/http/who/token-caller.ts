/**
 * A token of the OIDC issuer as a caller: the signature, the issuer, the audience and the times are checked, then its claims say who it is,
 * for which tenant and with which roles. Bearers and browsers come through this one place.
 */
import { jwtVerify, type JWTPayload } from 'jose'
import { isName } from '../../../app/identity/api-key.ts'
import type { Caller } from '../../../app/identity/caller.ts'
import { knownRoles, specialtiesOf } from '../../../app/identity/give-roles.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { ApiKeyStore } from '../../../ports/api-keys.ts'
import { IssuerKeys, type Issuer } from './issuer-keys.ts'

/** Names of claims; a name with dots is looked for as it stands, then as a path. */
export interface ClaimNames {
  readonly tenant: string
  readonly actor: string
  readonly roles: string
}

export interface TokenRules extends Issuer {
  readonly algorithms: readonly string[]
  readonly claims: ClaimNames
}

export interface TokenWays {
  readonly store: Pick<ApiKeyStore, 'findTenant'>
  /** Epoch milliseconds. */
  readonly now: () => number
  /** A clock for durations, in milliseconds; default `performance.now`. */
  readonly elapsedMs?: () => number
}

export interface TokenCaller {
  readonly caller: Caller
  /** Epoch milliseconds. */
  readonly endsAt: number
}

/** Undefined: no such token, or nobody of a tenant. Nobody is told what is wrong with it. */
export type TokenReader = (token: string, audience: string) => Promise<TokenCaller | undefined>

const TOKEN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/
const SKEW_S = 60

export function tokenReader(rules: TokenRules, { store, now, elapsedMs }: TokenWays): TokenReader {
  const keys = new IssuerKeys(rules, elapsedMs)
  return async (token, audience) => {
    if (!TOKEN.test(token)) return undefined
    const claims = await verified(token, keys, { ...rules, audience }, now())
    const caller = claims === undefined ? undefined : callerOf(claims, rules.claims)
    if (caller === undefined || (await isGone(store, caller.tenantId))) return undefined
    return { caller, endsAt: Number(claims?.exp) * 1_000 }
  }
}

/** A tenant that nobody has made keys for is not gone. */
export async function isGone(store: Pick<ApiKeyStore, 'findTenant'>, tenantId: string): Promise<boolean> {
  return (await store.findTenant(tenantId))?.deletedAt !== undefined
}

async function verified(
  token: string,
  keys: IssuerKeys,
  { issuer, audience, algorithms }: TokenRules & { readonly audience: string },
  now: number,
): Promise<JWTPayload | undefined> {
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
  const words = wordsOf(claimOf(claims, names.roles))
  const specialties = specialtiesOf(words)
  const more = specialties.length === 0 ? {} : { specialties }
  return { tenantId, projectId, environmentId, actorId, kind: 'user', roles: knownRoles(words), ...more }
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
