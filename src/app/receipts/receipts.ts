/**
 * A receipt: a signed statement that certain events of certain runs had certain hashes at some time. Its text is
 * canonical JSON and the signature covers exactly that text, so that anybody can check it with the public key alone.
 */
import { createPublicKey, verify } from 'node:crypto'
import { isoFromMs } from '../../core/time.ts'
import type { ReceiptKey, ReceiptSigner } from '../../ports/receipts.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'

export interface ReceiptHead {
  readonly tenantId: string
  readonly runId: string
  readonly runSeq: number
  /** Hex. */
  readonly chainHash: string
  readonly eventType: string
  /** When it was stored. */
  readonly at: string
}

/**
 * `heads`: these events are in the log. `restore`: the store was restored to these heads, and what earlier receipts say
 * about later events of these runs no longer holds.
 */
export interface ReceiptBody {
  readonly receipt: 'keelson-1'
  readonly kind: 'heads' | 'restore'
  readonly keyId: string
  readonly issuedAt: string
  readonly heads: readonly ReceiptHead[]
}

export interface Receipt {
  readonly body: ReceiptBody
  /** Hex, over the canonical text of `body`. */
  readonly signature: string
}

/** One line of a receipts file. */
export async function signReceipt(
  signer: ReceiptSigner,
  kind: ReceiptBody['kind'],
  heads: readonly ReceiptHead[],
  now: number,
): Promise<string> {
  const body: ReceiptBody = { receipt: 'keelson-1', kind, keyId: signer.keyId, issuedAt: isoFromMs(now), heads }
  return signedLine(signer, body)
}

export async function signedLine(signer: ReceiptSigner, body: object): Promise<string> {
  return canonicalText({ body, signature: await signer.sign(canonicalText(body)) })
}

/** Undefined when the line is not a receipt: torn, or of a later version. */
export function readReceipt(line: string): Receipt | undefined {
  try {
    const { body, signature } = JSON.parse(line) as Partial<Receipt>
    const known =
      body?.receipt === 'keelson-1' && (body.kind === 'heads' || body.kind === 'restore') && isHeads(body.heads)
    return known && typeof signature === 'string' ? { body, signature } : undefined
  } catch {
    return undefined
  }
}

function isHeads(heads: unknown): boolean {
  return Array.isArray(heads) && heads.every((head) => typeof head === 'object' && head !== null)
}

/** `publicKey` in hex. */
export function isSignedBy({ body, signature }: Receipt, publicKey: string): boolean {
  return isSignature(canonicalText(body), signature, publicKey)
}

/** An Ed25519 signature over a text; signature and key in hex. */
export function isSignature(text: string, signature: string, publicKey: string): boolean {
  try {
    const x = Buffer.from(publicKey, 'hex').toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex'))
  } catch {
    return false
  }
}

const PUBLIC_KEY = /^[0-9a-f]{64}$/
const KEY_ID_CHARS = 16

/** A public key from its noted text; undefined when that is not a key. */
export function receiptKeyOf(publicKey: string): ReceiptKey | undefined {
  const hex = publicKey.trim().toLowerCase()
  if (!PUBLIC_KEY.test(hex)) return undefined
  return { keyId: sha256Hex(Buffer.from(hex, 'hex')).slice(0, KEY_ID_CHARS), publicKey: hex }
}
