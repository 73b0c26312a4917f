/** The tag of an answer: the first 16 hex digits of the SHA-256 of its canonical JSON, so that the order of keys does not matter (API-04, X-70). */
import { canonicalText } from '../../../app/log/canonical.ts'
import { sha256Hex } from '../../../app/log/sha256.ts'

const DIGITS = 16

export function etagOf(body: unknown, strength: 'strong' | 'weak' = 'strong'): string {
  const tag = `"${sha256Hex(canonicalText(body)).slice(0, DIGITS)}"`
  return strength === 'weak' ? `W/${tag}` : tag
}

/** Does the caller have this content already? Tags are compared weakly, as RFC 9110 asks for a GET. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => bare(one) === bare(etag))
}
