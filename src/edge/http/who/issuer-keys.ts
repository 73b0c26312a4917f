/**
 * The public keys of an OIDC issuer, from the address that the operator of the server configured. They are asked for once in a while, for
 * a key that is not known at most every half minute, and never twice at once: what callers send cannot make the server ask more often.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { readJsonText } from '../../../core/json/read-json-text.ts'
import { fail } from '../../../core/problems/problem.ts'

export interface Issuer {
  readonly issuer: string
  /** Default: where the issuer's own document says. */
  readonly jwksUri?: string
}

const FRESH_MS = 10 * 60_000
/** Keys are still used for so long when the issuer does not answer. */
const STALE_MS = 60 * 60_000
const UNKNOWN_EVERY_MS = 30_000
const FAILED_EVERY_MS = 5_000
const ASK_MS = 5_000
const ANSWER_BYTES = 1_048_576

interface Kept {
  readonly keys: JWTVerifyGetKey
  readonly at: number
}

export class IssuerKeys {
  readonly #issuer: Issuer
  readonly #elapsedMs: () => number
  #kept: Kept | undefined
  #asking: Promise<void> | undefined
  #askedAt = -Infinity

  constructor(issuer: Issuer, elapsedMs: () => number = () => performance.now()) {
    this.#issuer = issuer
    this.#elapsedMs = elapsedMs
  }

  /** The key of a token; `SERVER_BUSY` while there is none because the issuer cannot be asked. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    await this.#refresh(FRESH_MS, FAILED_EVERY_MS)
    try {
      return await this.#known()(header, token)
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown
      await this.#refresh(0, UNKNOWN_EVERY_MS)
      return this.#known()(header, token)
    }
  }

  #known(): JWTVerifyGetKey {
    const kept = this.#kept
    if (kept !== undefined && this.#elapsedMs() < kept.at + STALE_MS) return kept.keys
    return fail('SERVER_BUSY', 'the issuer of the token cannot be asked for its keys')
  }

  /** Asks unless the keys are younger, or somebody asked a moment ago. */
  async #refresh(maxAgeMs: number, everyMs: number): Promise<void> {
    const now = this.#elapsedMs()
    const isYoung = this.#kept !== undefined && now < this.#kept.at + maxAgeMs
    if (isYoung) return
    if (this.#asking === undefined && now < this.#askedAt + everyMs) return
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined))
    await this.#asking
  }

  /** Whoever needs a key and finds none tells the failure. */
  async #ask(): Promise<void> {
    this.#askedAt = this.#elapsedMs()
    try {
      const address = this.#issuer.jwksUri ?? (await discovered(this.#issuer.issuer))
      const keys = (await readAt(address)) as unknown as JSONWebKeySet
      this.#kept = { keys: createLocalJWKSet(keys), at: this.#elapsedMs() }
    } catch {
      // Keys of before are used as long as they may be.
    }
  }
}

async function discovered(issuer: string): Promise<string> {
  const document = await readAt(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { issuer: said, jwks_uri: address } = document
  if (said !== issuer || typeof address !== 'string') throw new Error('the document is of another issuer')
  return address
}

async function readAt(address: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(address, {
    redirect: 'error',
    signal: AbortSignal.timeout(ASK_MS),
    headers: { accept: 'application/json' },
  })
  if (response.status !== 200) throw new Error(`the issuer answered ${response.status}`)
  const reading = readJsonText(await limitedText(response))
  if (!reading.ok || typeof reading.value !== 'object' || reading.value === null) throw new Error('no JSON object')
  return reading.value as Readonly<Record<string, unknown>>
}

async function limitedText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    const bytes = part as Uint8Array
    size += bytes.length
    if (size > ANSWER_BYTES) throw new Error('the answer is too large')
    parts.push(bytes)
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
}
