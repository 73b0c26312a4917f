/**
 * A plan refers to secrets and never contains one (SEC-01): a literal under a key that is called like a secret is
 * refused wherever an author's own values stand, unless it is a reference or computed by an expression.
 */
import type { Json } from './plan.ts'
import { child, refuse, type Place, type Reading } from './reading.ts'
import { parseTemplate } from './template.ts'

const SECRET_NAMES: ReadonlySet<string> = new Set(['password', 'token', 'secret', 'apikey'])
export const SECRET_REFERENCE = /^secret:\/\/[a-zA-Z0-9\-_/]+$/

/** Reports every inline secret in the value; true when there was one. */
export function inlineSecrets(value: Json, place: Place | undefined, reading: Reading): boolean {
  if (typeof value !== 'object' || value === null) return false
  let found = false
  for (const [key, entry] of Object.entries(value)) {
    const at = child(place, key)
    if (isSecretName(key) && isLiteral(entry)) {
      found = true
      refuse(reading, 'PLAN_SECRET_INLINE', at, `'${key}' must not be written into a plan`, {
        hint: 'refer to it: secret://path, or name it under `secrets`',
      })
    } else if (inlineSecrets(entry, at, reading)) found = true
  }
  return found
}

/** The first key in the value that is called like a secret and holds one in plain text. */
export function inlineSecretName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, entry] of Object.entries(value)) {
    const found = isSecretName(key) && isLiteral(entry as Json) ? key : inlineSecretName(entry)
    if (found !== undefined) return found
  }
  return undefined
}

/** `API_KEY`, `api-key` and `apiKey` are one name. */
function isSecretName(key: string): boolean {
  return SECRET_NAMES.has(key.replaceAll(/[-_]/g, '').toLowerCase())
}

function isLiteral(value: Json): boolean {
  if (typeof value !== 'string') return typeof value === 'number'
  return value !== '' && !SECRET_REFERENCE.test(value) && !isComputed(value)
}

function isComputed(value: string): boolean {
  const parts = parseTemplate(value)
  return parts.ok && parts.value.some((part) => 'expression' in part)
}
