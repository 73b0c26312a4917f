/**
 * Which versions of the plan format are read: the current minor and the three before it (PLN-03). The oldest of these
 * is deprecated, because the next minor drops it (PLN-04).
 */
import { describe, type Kind } from './kind.ts'
import { refuse } from '../read/reading.ts'

export const CURRENT_SCHEMA_VERSION = 'v1.2'
/** Of a plan that says nothing. It stays what it was, so that such a plan keeps its identity. */
export const UNSAID_SCHEMA_VERSION = 'v1.0'
const MINORS_BACK = 3

export type SchemaVersionVerdict = 'accepted' | 'deprecated' | 'unknown'

export function judgeSchemaVersion(
  version: string | undefined,
  current = CURRENT_SCHEMA_VERSION,
): SchemaVersionVerdict {
  const written = parseVersion(version)
  const newest = parseVersion(current)
  if (written === undefined || newest === undefined || written.major !== newest.major) return 'unknown'
  const age = newest.minor - written.minor
  if (age < 0 || age > MINORS_BACK) return 'unknown'
  return age === MINORS_BACK ? 'deprecated' : 'accepted'
}

function parseVersion(version: string | undefined): { readonly major: number; readonly minor: number } | undefined {
  const match = /^v(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/.exec(version ?? '')
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) }
}

export const schemaVersion: Kind<string> = {
  what: `a version such as '${CURRENT_SCHEMA_VERSION}'`,
  schema: { type: 'string', pattern: '^v\\d+\\.\\d+$' },
  read: (value, place, reading) => {
    if (typeof value === 'string' && judgeSchemaVersion(value) !== 'unknown') return value
    const message = `schemaVersion ${describe(value)} is not known; the newest is '${CURRENT_SCHEMA_VERSION}'`
    refuse(reading, 'SCHEMA_VERSION_UNKNOWN', place, message)
    return undefined
  },
}
