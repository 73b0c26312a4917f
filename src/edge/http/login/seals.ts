/**
 * Values that only this server, or one with the same keys, can make and read: an encrypted JWT (`dir`, A256GCM). The key is derived from the
 * signing key of the process for each purpose, so that what was sealed for one opens nothing else. The newest key seals, older ones
 * open as long as they lie in the folder.
 */
import { hkdfSync } from 'node:crypto'
import { EncryptJWT, errors, jwtDecrypt, type JWTPayload } from 'jose'
import { BoundedCache } from '../../../app/schemas/bounded-cache.ts'
import type { SigningKey, SigningKeys } from '../../../ports/signing-keys.ts'

export type Purpose = 'login' | 'session'

export interface SealsOptions {
  readonly keys: SigningKeys
  /** Whose values they are: another issuer or client opens none of them. */
  readonly issuer: string
  readonly clientId: string
  readonly elapsedMs: () => number
}

interface Kept {
  readonly key: SigningKey
  readonly at: number
}

/** A key whose file is taken away opens nothing after this time. */
const KEY_FRESH_MS = 60_000
const KEYS_KEPT = 16
const KEY_BYTES = 32

export class Seals {
  readonly #options: SealsOptions
  readonly #kept = new BoundedCache<string, Kept>(KEYS_KEPT)

  constructor(options: SealsOptions) {
    this.#options = options
  }

  /** Both times in epoch milliseconds. */
  async seal(purpose: Purpose, value: JWTPayload, now: number, endsAt: number): Promise<string> {
    const { keys, issuer, clientId } = this.#options
    const key = await keys.current()
    return new EncryptJWT(value)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: key.keyId })
      .setIssuer(issuer)
      .setAudience(clientId)
      .setIssuedAt(new Date(now))
      .setExpirationTime(new Date(endsAt))
      .encrypt(keyFor(purpose, key))
  }

  /** Undefined: not sealed here for this purpose, changed, or over. */
  async open(purpose: Purpose, text: string, now: number): Promise<JWTPayload | undefined> {
    const { issuer, clientId } = this.#options
    try {
      const { payload } = await jwtDecrypt(
        text,
        async ({ kid = '' }) => {
          const key = await this.#find(kid)
          if (key === undefined) throw new errors.JWEDecryptionFailed()
          return keyFor(purpose, key)
        },
        {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          issuer,
          audience: clientId,
          currentDate: new Date(now),
          requiredClaims: ['exp', 'iat'],
        },
      )
      return payload
    } catch (thrown) {
      // Anything else is no fault of who sent it: the folder of the keys cannot be read.
      if (thrown instanceof errors.JOSEError) return undefined
      throw thrown
    }
  }

  async #find(keyId: string): Promise<SigningKey | undefined> {
    const { keys, elapsedMs } = this.#options
    const kept = this.#kept.get(keyId)
    if (kept !== undefined && elapsedMs() < kept.at + KEY_FRESH_MS) return kept.key
    const key = await keys.find(keyId)
    if (key === undefined) this.#kept.delete(keyId)
    else this.#kept.set(keyId, { key, at: elapsedMs() })
    return key
  }
}

function keyFor(purpose: Purpose, { secret }: SigningKey): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), `keelson browser ${purpose}`, KEY_BYTES))
}
