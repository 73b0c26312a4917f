/**
 * A run as engines and their callers address it (ENG-03, X-47, X-48): `runId` is always ours; the provider's own
 * execution id changes when its history rotates, so it is optional and never a key. References come from outside and
 * are read strictly: each missing, empty or unknown field is named.
 */
import { parseEngineRunRef } from './run-ref-text.ts'
import { problem, type Problem } from '../problems/problem.ts'
import { okUnless, refused, type Result } from '../result.ts'
import type { EngineType } from './engine-type.ts'

export type EngineRunRef =
  | {
      readonly provider: 'temporal'
      readonly namespace: string
      readonly workflowId: string
      readonly runId: string
      readonly taskQueue?: string
      readonly providerRunId?: string
    }
  | {
      readonly provider: 'conductor'
      readonly workflowId: string
      readonly runId: string
      readonly conductorUrl: string
      readonly providerRunId?: string
    }
  | { readonly provider: 'embedded' | 'mock'; readonly workflowId: string; readonly runId: string }

interface Fields {
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

const OWN: Fields = { required: ['workflowId', 'runId'], optional: [] }
const FIELDS: Readonly<Record<EngineType, Fields>> = {
  temporal: { required: ['namespace', 'workflowId', 'runId'], optional: ['taskQueue', 'providerRunId'] },
  conductor: { required: ['workflowId', 'runId', 'conductorUrl'], optional: ['providerRunId'] },
  embedded: OWN,
  mock: OWN,
}
const PROVIDERS = Object.keys(FIELDS)

export function parseRunRef(value: unknown): Result<EngineRunRef> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refused(wrong('', 'a reference to a run is an object with `provider`, `workflowId`, `runId`'))
  const given = value as Readonly<Record<string, unknown>>
  const { provider } = given
  if (typeof provider !== 'string' || !Object.hasOwn(FIELDS, provider))
    return refused(wrong('provider', `'provider' must be one of ${PROVIDERS.join(', ')}`))
  const { required, optional } = FIELDS[provider as EngineType]
  const problems: Problem[] = []
  for (const name of required)
    if (!isText(given[name])) problems.push(wrong(name, `'${name}' is missing from the reference to a ${provider} run`))
  for (const name of optional)
    if (given[name] !== undefined && !isText(given[name])) problems.push(wrong(name, `'${name}' must be a text`))
  const known = new Set(['provider', ...required, ...optional])
  for (const name of Object.keys(given))
    if (!known.has(name)) problems.push(wrong(name, `a reference to a ${provider} run has no field '${name}'`))
  return okUnless(problems, given as unknown as EngineRunRef)
}

/** The reference of a run from its stored parts. */
export function storedRunRef(
  run: { readonly runId: string; readonly engineType: EngineType; readonly engineRunRef: string },
  taskQueue?: string,
): EngineRunRef {
  const { runId, engineType } = run
  const name = parseEngineRunRef(run.engineRunRef)
  if (name?.engineType === 'temporal') {
    const { namespace, workflowId, providerRunId } = name
    return {
      provider: 'temporal',
      namespace,
      workflowId,
      runId,
      ...(taskQueue === undefined ? {} : { taskQueue }),
      ...(providerRunId === UNNAMED ? {} : { providerRunId }),
    }
  }
  if (name?.engineType === 'conductor') {
    const { conductorUrl, workflowId, providerRunId } = name
    return {
      provider: 'conductor',
      workflowId,
      runId,
      conductorUrl,
      ...(providerRunId === UNNAMED ? {} : { providerRunId }),
    }
  }
  return { provider: engineType === 'mock' ? 'mock' : 'embedded', workflowId: runId, runId }
}

/** Used while the provider has not named its execution. */
const UNNAMED = '-'

/** The part of a given reference that contradicts the stored one; parts that change during a run are not compared. */
export function mismatchOf(given: EngineRunRef, stored: EngineRunRef): string | undefined {
  const fixed = ['provider', 'workflowId', 'runId', 'namespace', 'conductorUrl']
  const [one, other] = [given, stored].map((ref) => ref as Readonly<Record<string, unknown>>)
  return fixed.find((name) => one?.[name] !== other?.[name])
}

function wrong(name: string, message: string): Problem {
  return problem('ADAPTER_INVALID_RUN_REF', message, name === '' ? {} : { pointer: `/${name}` })
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
