/**
 * API keys: `kls_<id>_<secret>`. The secret is 256 bits of chance, shown once; only its SHA-256 is kept. Whatever is wrong with a key
 * (unknown, another secret, expired, revoked, of a deleted tenant) takes the same work and gives the same answer.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import type { ApiKeyStore, StoredApiKey } from '../../ports/api-keys.ts'
import type { Random } from '../../ports/random.ts'

const ID_BYTES = 8
const SECRET_BYTES = 32
const KEY = /^kls_([0-9a-f]{16})_([0-9a-f]{64})$/
const UNKNOWN_ID = '0'.repeat(2 * ID_BYTES)
const NO_SECRET = new Uint8Array(32)
const TRIES = 5

export interface NewApiKey {
  readonly tenantId: string
  /** Default: `key:` and the id. */
  readonly actorId?: string
  readonly roles: readonly string[]
  readonly createdBy: string
  readonly displayName?: string
  readonly expiresAt?: number
}

export interface IssuedApiKey {
  readonly keyId: string
  readonly actorId: string
  /** Shown now, and never again. */
  readonly key: string
}

/** Makes the tenant too, if it is a new one. */
export async function issueApiKey(
  store: ApiKeyStore,
  random: Pick<Random, 'bytes'>,
  given: NewApiKey,
  now: number,
): Promise<IssuedApiKey> {
  needName('tenant', given.tenantId)
  if (given.actorId !== undefined) needName('actor', given.actorId)
  await needTenant(store, given.tenantId, now)
  for (let tries = 0; tries < TRIES; tries++) {
    const keyId = Buffer.from(random.bytes(ID_BYTES)).toString('hex')
    const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('hex')
    const actorId = given.actorId ?? `key:${keyId}`
    const stored = { ...given, keyId, actorId, secretSha256: hashOf(secret), createdAt: now }
    if (await store.putApiKey(stored)) return { keyId, actorId, key: `kls_${keyId}_${secret}` }
  }
  throw new Error('no free id for a key was found')
}

/** The stored key that this text is; undefined for a text that opens nothing now. */
export async function openingKey(store: ApiKeyStore, text: string, now: number): Promise<StoredApiKey | undefined> {
  const [, keyId = UNKNOWN_ID, secret = ''] = KEY.exec(text) ?? []
  const found = await store.findApiKey(keyId)
  const tenant = await store.findTenant(found?.tenantId ?? UNKNOWN_ID)
  const isSecret = timingSafeEqual(hashOf(secret), found?.secretSha256 ?? NO_SECRET)
  if (found === undefined || !isSecret) return undefined
  if (found.revokedAt !== undefined || (found.expiresAt !== undefined && found.expiresAt <= now)) return undefined
  return tenant === undefined || tenant.deletedAt !== undefined ? undefined : found
}

export function isApiKey(text: string): boolean {
  return text.startsWith('kls_')
}

function hashOf(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer')
}

async function needTenant(store: ApiKeyStore, tenantId: string, now: number): Promise<void> {
  const isNew = await store.putTenant({ tenantId, createdAt: now })
  if (isNew) return
  const known = await store.findTenant(tenantId)
  if (known?.deletedAt !== undefined) fail('TENANT_NOT_FOUND', `the tenant '${tenantId}' was deleted`)
}

/** A name that logs and headers can show as it is. */
export function isName(text: string): boolean {
  return text.trim() !== '' && Buffer.byteLength(text) <= LIMITS.nameBytes && !/\p{Cc}/u.test(text)
}

function needName(what: string, text: string): void {
  if (!isName(text))
    fail(
      'VALUE_TOO_LARGE',
      `the ${what} of a key is a name of 1 to ${LIMITS.nameBytes} bytes without control characters`,
    )
}
