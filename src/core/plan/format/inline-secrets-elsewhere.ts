/** Secrets in places without a key of the author: in an address, and in the schema of an input. */
import { inlineSecrets, isOneReference, refuseInline } from './inline-secrets.ts'
import { isObject } from './kind.ts'
import type { Json } from '../plan.ts'
import { child, type Place, type Reading } from '../read/reading.ts'
import { isSecretName } from '../secret-names.ts'
import { parseTemplate } from '../read/template.ts'

/** Stands for an expression; no address contains it. */
const COMPUTED = '\0'
const USER_INFO = /^[a-z]+:\/\/[^/?#]*?:([^/?#]*)@/i
const PARAMETER = /[?&;]([^?&;=#]*)=([^&;#]*)/g

/** A password before the host, or a parameter with a secret's name, in plain text. */
export function secretInUrl(url: string): string | undefined {
  const parts = parseTemplate(url)
  if (!parts.ok) return undefined
  const text = parts.value.map((part) => ('literal' in part ? part.literal : COMPUTED)).join('')
  if (isPlain(USER_INFO.exec(text)?.[1] ?? '')) return 'the password before the host'
  for (const [, name = '', value = ''] of text.matchAll(PARAMETER))
    if (isSecretName(decoded(name)) && isPlain(value)) return decoded(name)
  return undefined
}

function isPlain(value: string): boolean {
  return value !== '' && value !== COMPUTED
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

const VALUES = ['default', 'const'] as const

/** A default for a property with a secret's name would be a secret; true when there was any. */
export function secretsInSchema(schema: Json, place: Place | undefined, reading: Reading): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  let found = false
  for (const [key, entry] of Object.entries(schema)) {
    const at = child(place, key)
    if (['default', 'const', 'enum', 'examples'].includes(key)) found = inlineSecrets(entry, at, reading) || found
    else if (key === 'properties' && isObject(entry)) found = inProperties(entry, at, reading) || found
    else found = secretsInSchema(entry, at, reading) || found
  }
  return found
}

function inProperties(properties: { readonly [name: string]: Json }, place: Place, reading: Reading): boolean {
  let found = false
  for (const [name, schema] of Object.entries(properties)) {
    const at = child(place, name)
    found = secretsInSchema(schema, at, reading) || found
    if (!isSecretName(name) || !isObject(schema)) continue
    for (const field of VALUES) {
      const value = schema[field]
      if (value !== undefined && !isOneReference(value)) found = refuseInline(name, child(at, field), reading)
    }
    const { examples } = schema
    for (const [index, example] of (Array.isArray(examples) ? (examples as readonly Json[]) : []).entries())
      if (!isOneReference(example)) found = refuseInline(name, child(child(at, 'examples'), index), reading)
  }
  return found
}
