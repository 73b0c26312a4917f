/** The signature of Standard Webhooks: over the id, the time and the bytes of a message. */
import { createHmac } from 'node:crypto'

/** `seconds` since 1970, as it stands in the header. The secret is base64, with or without `whsec_` before it. */
export function standardMac(
  secret: string,
  { id, seconds }: { readonly id: string; readonly seconds: string },
  bytes: Uint8Array,
): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return createHmac('sha256', key).update(`${id}.${seconds}.`).update(bytes).digest()
}
