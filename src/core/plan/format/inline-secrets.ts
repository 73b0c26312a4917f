/**
 * A plan refers to secrets and never contains one (SEC-01): a key with a secret's name holds one reference and nothing
 * else. Text around an expression, a literal inside one, a list or an object could each hold a secret, so all of them
 * are refused.
 */
import type { Json } from '../plan.ts'
import { child, refuse, type Place, type Reading } from '../read/reading.ts'
import { isSecretName } from '../secret-names.ts'
import { parseTemplate, wholeExpression } from '../read/template.ts'

export const SECRET_REFERENCE = /^secret:\/\/[a-zA-Z0-9\-_/]+$/
const SECRET_ID = /^(?:secret:\/\/)?[a-zA-Z0-9\-_/]+$/
const SECRET_VERSION = /^[\w.-]{1,64}$/
/** A path into the run's data. Functions and literals are no path: `${'hunter2'}` is a secret in plain text. */
const BARE_PATH = /^[A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|"[^"\\]*")|\[-?\d+\])*$/
/** `Bearer ${steps.login.output.token}`: the word before it is not part of the secret. */
const SCHEME = /^(?:Basic|Bearer|Digest|Negotiate|Token) +/i

/** Reports every inline secret in the value; true when there was one. */
export function inlineSecrets(value: Json, place: Place | undefined, reading: Reading): boolean {
  if (typeof value !== 'object' || value === null) return false
  let found = false
  for (const [key, entry] of Object.entries(value)) {
    const at = child(place, key)
    const isSlot = isSecretName(key) && !Array.isArray(value)
    if (isSlot && !isOneReference(entry) && !isPath(entry)) found = refuseInline(key, at, reading)
    else if (!isSlot && inlineSecrets(entry, at, reading)) found = true
  }
  return found
}

export function refuseInline(name: string, place: Place | undefined, reading: Reading): true {
  refuse(reading, 'PLAN_SECRET_INLINE', place, `'${name}' must not be written into a plan`, {
    hint: 'refer to it: secret://path, or name it under `secrets`',
  })
  return true
}

/**
 * The first key in the value with a secret's name that holds anything but one reference. Nothing is evaluated there.
 */
export function inlineSecretName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, entry] of Object.entries(value)) {
    const isSlot = isSecretName(key) && !Array.isArray(value)
    if (isSlot && !isOneReference(entry as Json)) return key
    const found = isSlot ? undefined : inlineSecretName(entry)
    if (found !== undefined) return found
  }
  return undefined
}

/** Null is no secret either; nor is a boolean. */
export function isOneReference(value: Json): boolean {
  if (value === null || value === '' || typeof value === 'boolean') return true
  if (typeof value === 'string') return SECRET_REFERENCE.test(value)
  return typeof value === 'object' && !Array.isArray(value) && isSecretRef(value as { readonly [name: string]: Json })
}

/** `SecretRef{secretId, version?}`. */
function isSecretRef({ secretId, version, ...rest }: { readonly [name: string]: Json }): boolean {
  const isVersion = version === undefined || (isTextOrNumber(version) && SECRET_VERSION.test(String(version)))
  return typeof secretId === 'string' && SECRET_ID.test(secretId) && isVersion && Object.keys(rest).length === 0
}

function isTextOrNumber(value: Json): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function isPath(value: Json): boolean {
  if (typeof value !== 'string') return false
  const parts = parseTemplate(value.replace(SCHEME, ''))
  return parts.ok && BARE_PATH.test(wholeExpression(parts.value) ?? '')
}
