/**
 * A plan by reference (PLN-01): where it is and what it must be. References come from outside and are read strictly;
 * allowed places are decided elsewhere, and a fetched plan is checked against the hash.
 */
import { LIMITS } from '../../limits.ts'
import { problem, type Problem } from '../../problems/problem.ts'
import { okUnless, refused, refusedFor, type Result } from '../../result.ts'
import { msFromIso } from '../../time.ts'
import { judgeSchemaVersion } from '../format/schema-version.ts'

export interface PlanRef {
  readonly uri: string
  /** Of the bytes as they lie there, before anything is unpacked or read; lower-case hex. */
  readonly sha256: string
  readonly schemaVersion: string
  readonly planId: string
  readonly planVersion: string
  readonly sizeBytes?: number
  /** RFC 3339. */
  readonly expiresAt?: string
  /** How the bytes are packed. Default `none`. */
  readonly compression?: 'gzip' | 'none'
}

const REQUIRED = ['uri', 'sha256', 'schemaVersion', 'planId', 'planVersion'] as const
const OPTIONAL = ['sizeBytes', 'expiresAt', 'compression'] as const

export function parsePlanRef(value: unknown): Result<PlanRef> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refused(wrong('', 'a plan is started by reference: { uri, sha256, schemaVersion, planId, planVersion }'))
  const given = value as Readonly<Record<string, unknown>>
  const problems: Problem[] = []
  for (const name of REQUIRED)
    if (typeof given[name] !== 'string' || given[name] === '') problems.push(wrong(name, `'${name}' is missing`))
  for (const name of Object.keys(given))
    if (![...REQUIRED, ...OPTIONAL].some((one) => one === name))
      problems.push(wrong(name, `a reference to a plan has no field '${name}'`))
  if (problems.length > 0) return refusedFor(problems)
  const { uri, sha256, schemaVersion, sizeBytes, expiresAt, compression } = given
  if (String(uri).length > LIMITS.planUriChars)
    problems.push(wrong('uri', `'uri' may have ${LIMITS.planUriChars} characters at most`))
  if (!/^[0-9a-f]{64}$/.test(String(sha256)))
    problems.push(wrong('sha256', `'sha256' must be 64 lower-case hex digits`))
  if (judgeSchemaVersion(String(schemaVersion)) === 'unknown')
    problems.push(
      problem('SCHEMA_VERSION_UNKNOWN', `schemaVersion '${String(schemaVersion)}' is not read`, {
        pointer: '/schemaVersion',
      }),
    )
  if (sizeBytes !== undefined && !(Number.isSafeInteger(sizeBytes) && Number(sizeBytes) > 0))
    problems.push(wrong('sizeBytes', `'sizeBytes' must be a positive whole number`))
  if (expiresAt !== undefined && (typeof expiresAt !== 'string' || msFromIso(expiresAt) === undefined))
    problems.push(wrong('expiresAt', `'expiresAt' must be an instant such as 2030-01-31T00:00:00Z`))
  if (compression !== undefined && compression !== 'gzip' && compression !== 'none')
    problems.push(wrong('compression', `'compression' must be 'gzip' or 'none'`))
  return okUnless(problems, given as unknown as PlanRef)
}

function wrong(name: string, message: string): Problem {
  return problem('PLAN_REF_INVALID', message, name === '' ? {} : { pointer: `/${name}` })
}
