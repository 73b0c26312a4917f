/**
 * The place of a reader in the feed, as an id that tells nothing: the feed is that of all tenants, and its positions would say how much the
 * others do. Each id is sealed anew, for one tenant, with a key made of the server's signing key; any process that has that key opens it.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { SigningKey, SigningKeys } from '../../../ports/signing-keys.ts'

const NONCE = 12
const TAG = 16
/** So that its length does not tell either how large a position is. */
const PLACE_CHARS = 80
const FORM = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{40,400})$/

interface Opened {
  readonly keyId: string
  readonly key: Uint8Array
}

export class SealedPlaces {
  readonly #keys: SigningKeys
  readonly #known = new Map<string, Uint8Array>()
  #current: Promise<Opened> | undefined

  constructor(keys: SigningKeys) {
    this.#keys = keys
  }

  async seal(tenantId: string, place: string): Promise<string> {
    const { keyId, key } = await (this.#current ??= this.#own())
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(tenantId))
    const text = Buffer.concat([cipher.update(place.padEnd(PLACE_CHARS), 'utf8'), cipher.final()])
    return `${keyId}.${Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url')}`
  }

  /** Undefined: it was not given out to this tenant, or nobody here can open it. */
  async open(tenantId: string, id: string): Promise<string | undefined> {
    const [, keyId = '', sealed = ''] = FORM.exec(id) ?? []
    const key = keyId === '' ? undefined : await this.#keyOf(keyId)
    if (key === undefined) return undefined
    const bytes = Buffer.from(sealed, 'base64url')
    try {
      const opened = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE))
        .setAAD(Buffer.from(tenantId))
        .setAuthTag(bytes.subarray(-TAG))
      return Buffer.concat([opened.update(bytes.subarray(NONCE, -TAG)), opened.final()])
        .toString('utf8')
        .trimEnd()
    } catch {
      return undefined
    }
  }

  /** Where no key is kept, ids mean something to this process alone: to another one they are unknown, and it says so. */
  async #own(): Promise<Opened> {
    const { keyId, secret } = await this.#keys
      .current()
      .catch((): SigningKey => ({ keyId: 'process', secret: randomBytes(32) }))
    const key = keyFrom(secret)
    this.#known.set(keyId, key)
    return { keyId, key }
  }

  async #keyOf(keyId: string): Promise<Uint8Array | undefined> {
    await (this.#current ??= this.#own())
    const known = this.#known.get(keyId)
    if (known !== undefined) return known
    const found = await this.#keys.find(keyId).catch(() => undefined)
    if (found === undefined) return undefined
    const key = keyFrom(found.secret)
    this.#known.set(keyId, key)
    return key
  }
}

function keyFrom(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), 'keelson stream place', 32))
}
