/**
 * What of an event may be shown to whoever reads a journal (API-16). Denied by default: of a payload only fields that this version
 * knows, of what people and steps gave no value under a secret's name, and no text that has the form of a secret.
 */
import { PAYLOADS } from '../../events/payloads.ts'
import { isSecretName } from '../../plan/secret-names.ts'

const MASK = '***'

type Fields = Readonly<Record<string, unknown>>
type Schema = Readonly<Record<string, unknown>>

const DEEPEST = 32

/** Names of fields stay, so that a reader sees that something is there. */
export function maskedPayload(eventType: string, payload: Fields): Fields {
  const known = Object.hasOwn(PAYLOADS, eventType) ? PAYLOADS[eventType as keyof typeof PAYLOADS].schema : {}
  return known['properties'] === undefined ? each(payload, () => MASK) : (bySchema(payload, known, 0) as Fields)
}

function bySchema(value: unknown, schema: Schema, depth: number): unknown {
  if (typeof value === 'string') return maskedText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => bySchema(one, (schema['items'] ?? {}) as Schema, depth + 1))
  const known = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
  const others = schema['additionalProperties']
  return each(value as Fields, (one, name) => {
    if (Object.hasOwn(known, name)) return bySchema(one, known[name] ?? {}, depth + 1)
    return typeof others === 'object' && others !== null ? bySchema(one, others as Schema, depth + 1) : MASK
  })
}

/** Where a program failed says more about a machine than about the run. */
const NEVER: ReadonlySet<string> = new Set(['stackTrace'])

export function maskedData(data: Fields): Fields {
  return byName(data, 0) as Fields
}

function byName(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskedText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEEPEST) return MASK
  if (Array.isArray(value)) return value.map((one) => byName(one, depth + 1))
  return each(value as Fields, (one, name) =>
    (isSecretName(name) && one !== null) || NEVER.has(name) ? MASK : byName(one, depth + 1),
  )
}

function each(fields: Fields, shown: (value: unknown, name: string) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(value, name)]))
}

const USER_INFO = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@]{1,512}@/gi
const PARAMETER = /([?&;]([^?&;=#\s]{1,100})=)[^&;#\s]{1,4096}/g
const SIGNATURES = /^(?:sig|signature|key|code|x-(?:amz|goog|ms)-(?:signature|credential|security-token))$/i
const SCHEME = /\b(Basic|Bearer|Digest|Negotiate|Token)(\s{1,8})[A-Za-z0-9._~+/=-]{8,}/gi
const NAMED =
  /\b([a-z0-9_-]{0,40}(?:password|passwd|passphrase|secret|api[_-]?key|token))(["']?\s{0,8}[:=]\s{0,8}["']?)[^\s"',;&]{1,4096}/gi
const PEM = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g
/** Tokens that say what they are: JSON web tokens, our keys, and those of services that many use. */
const FORMS =
  /\b(?:eyJ[\w-]{5,2000}\.[\w-]{5,2000}\.[\w-]*|kls_\w{8,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|xox[abeprs]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|[sr]k_(?:live|test)_\w{10,}|AIza[\w-]{30,})/g

function maskedText(text: string): string {
  return text
    .replace(PEM, MASK)
    .replace(USER_INFO, `$1${MASK}@`)
    .replace(PARAMETER, (all, begin: string, name: string) =>
      isSecretName(decoded(name)) || SIGNATURES.test(name) ? `${begin}${MASK}` : all,
    )
    .replace(SCHEME, `$1$2${MASK}`)
    .replace(NAMED, `$1$2${MASK}`)
    .replace(FORMS, MASK)
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
