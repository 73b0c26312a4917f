/** The secret of a trigger, encrypted with a key that is made of the server's signing key: whoever has the database alone cannot read it. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { fail } from '../../core/problems/problem.ts'
import type { SigningKey, SigningKeys } from '../../ports/signing-keys.ts'

export interface SealedSecret {
  readonly keyId: string
  /** Nonce, text and tag, base64. */
  readonly sealed: string
}

const NONCE = 12
const TAG = 16

/** `about`: it opens only where it belongs. */
export async function sealSecret(
  keys: SigningKeys,
  secret: string,
  about: string,
  bytes: (count: number) => Uint8Array,
): Promise<SealedSecret> {
  const key = await keys.current()
  const nonce = bytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', keyOf(key), nonce).setAAD(Buffer.from(about))
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return { keyId: key.keyId, sealed: Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64') }
}

export async function openSecret(keys: SigningKeys, { keyId, sealed }: SealedSecret, about: string): Promise<string> {
  const key = await keys.find(keyId)
  if (key === undefined) return fail('SECRET_UNAVAILABLE', 'the key that sealed the secret of the trigger is not here')
  const bytes = Buffer.from(sealed, 'base64')
  const opened = createDecipheriv('aes-256-gcm', keyOf(key), bytes.subarray(0, NONCE))
    .setAAD(Buffer.from(about))
    .setAuthTag(bytes.subarray(-TAG))
  return Buffer.concat([opened.update(bytes.subarray(NONCE, -TAG)), opened.final()]).toString('utf8')
}

const decoys = new WeakMap<SigningKeys, Promise<SealedSecret>>()
const DECOY = 'the secret of no trigger at all'

/** A secret that signs nothing: to open it takes as long as to open that of a trigger, whose key is read from where keys lie. */
export async function openDecoy(keys: SigningKeys, bytes: (count: number) => Uint8Array): Promise<string> {
  const sealed = decoys.get(keys) ?? sealSecret(keys, DECOY, DECOY, bytes)
  decoys.set(keys, sealed)
  try {
    return await openSecret(keys, await sealed, DECOY)
  } catch (thrown) {
    // A newer key may have taken the place of the one that sealed it.
    decoys.delete(keys)
    throw thrown
  }
}

function keyOf({ secret }: SigningKey): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), 'keelson trigger secret', 32))
}
