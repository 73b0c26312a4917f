/**
 * The largest event that its schema allows can be written. A text or a list of a payload that has no limit, or too large a
 * one, would let somebody outside set a run aside: its decision stands, and no store takes it. Whoever adds a field either
 * gives it a limit that fits, or says here which limit holds for it, in bytes of JSON.
 */
import { expect, it } from 'vitest'
import { DATA_BYTES } from '../../src/app/log/check-draft.ts'
import { DATA_SHAPES } from '../../src/core/events/data-fields.ts'
import { PAYLOADS } from '../../src/core/events/payloads.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { PLAN_LIMITS } from '../../src/core/plan/plan-limits.ts'

type Schema = Readonly<Record<string, unknown>>

/** A control character is `\u0001` in JSON; no character takes more bytes. */
const JSON_PER_CHAR = 6
/** An id of a plan has letters, digits and signs of one byte each, which JSON writes as they are. */
const ID = PLAN_LIMITS.idChars + 2
/** `COMP:FALLBACK:<id>[99999]` and the like. */
const SLOT = ID + 30
const COMMA = 1

/** `Event.field` or `field`: what is not as large as its schema allows, and why. */
const HELD: Readonly<Record<string, { readonly bytes: number; readonly by: string }>> = {
  'StepCompleted.artifactRefs': { bytes: LIMITS.namedByStepBytes, by: 'step-pointers.ts, with the two that follow' },
  'StepCompleted.captures': { bytes: 0, by: 'counted with artifactRefs' },
  'StepCompleted.evidenceRefs': { bytes: 0, by: 'counted with artifactRefs' },
  'StepCompleted.actorRoles': { bytes: 0, by: 'counted with artifactRefs; a person has none' },
  'StepFailed.actorRoles': {
    bytes: 0,
    by: 'a person has no artifacts; actorRolesBytes and evidenceBytes together are less',
  },
  'StepFailed.artifactRefs': { bytes: LIMITS.namedByStepBytes, by: 'step-pointers.ts' },
  'StepFailed.evidenceRefs': { bytes: 0, by: 'a person has no artifacts; evidenceBytes is less' },
  'RunCompleted.artifactRefs': { bytes: 2, by: 'always empty' },
  'RunCancelled.reason': {
    bytes: JSON_PER_CHAR * LIMITS.signalReasonChars + 2,
    by: 'signals/catalogue.ts: only a CANCEL undoes; a stop says more, without compensation',
  },
  'RunFailed.artifactRefs': { bytes: 2, by: 'never there' },
  'RunValidated.errors': { bytes: LIMITS.findingsBytes, by: 'check-engine.ts' },
  'RunValidated.warnings': { bytes: LIMITS.findingsBytes, by: 'check-engine.ts' },
  'RunValidated.capabilityChecks': { bytes: LIMITS.findingsBytes, by: 'check-engine.ts' },
  'RunValidated.remediation': { bytes: LIMITS.findingsBytes + 200, by: 'check-engine.ts' },
  'RunValidated.adapterCapabilities': { bytes: 1_024, by: 'capabilities.ts: the fifteen names' },
  'RunStarted.warnings': { bytes: LIMITS.findingsBytes, by: 'check-engine.ts' },
  'RunStarted.engineRunRef': { bytes: LIMITS.engineRunRefChars + 2, by: 'percent-encoded' },
  'EngineHandoff.engineRunRef': { bytes: LIMITS.engineRunRefChars + 2, by: 'percent-encoded' },
  'StepStarted.grants': { bytes: PLAN_LIMITS.stepResources * (ID + 30), by: 'names of a plan' },
  'StepStarted.approvals': {
    bytes: Math.max(100 * (ID + 40 + COMMA), LIMITS.approvalsBytes),
    by: 'steps of a plan, or approvals.ts of the run above',
  },
  approvals: { bytes: LIMITS.approvalsBytes + 2, by: 'approvals.ts' },
  people: { bytes: LIMITS.peopleBytes + 100, by: 'duties.ts' },
  planRef: { bytes: JSON_PER_CHAR * LIMITS.nameBytes + 2 * ID + 66 + 100, by: 'ids of a plan, beside its uri' },
  rootCause: { bytes: SLOT + 80, by: 'a slot of a plan' },
  children: { bytes: LIMITS.childPlans * (2 * ID + 66 + 40 + COMMA), by: 'names of plans' },
  'LateOutcomeRecorded.compensation': { bytes: 5, by: 'a flag' },
  compensation: { bytes: 300 + 100 * (SLOT + COMMA) + 200 * (SLOT + 50 + COMMA), by: 'slots of a plan' },
}

/** The first append of a run: one that is too large is refused whole, and there is no run. */
const ONLY_AT_THE_START: ReadonlySet<string> = new Set(['locked', 'inherited', 'origin'])

function mostOf(schema: Schema, path: readonly string[]): number {
  const held = HELD[path.join('.')] ?? HELD[path.at(-1) ?? '']
  if (held !== undefined) return held.bytes
  if ('const' in schema) return JSON.stringify(schema['const']).length
  if (Array.isArray(schema['enum'])) return Math.max(...schema['enum'].map((one) => JSON.stringify(one).length))
  switch (schema['type']) {
    case 'string':
      return mostOfText(schema)
    case 'integer':
      return String(Number.MIN_SAFE_INTEGER).length
    case 'boolean':
      return 'false'.length
    case 'array':
      return 2 + numberOr(schema['maxItems']) * (mostOf(schema['items'] as Schema, [...path, '0']) + COMMA)
    case 'object':
      return mostOfObject(schema, path)
    default:
      return Infinity
  }
}

function mostOfText({ pattern, maxLength }: Schema): number {
  if (typeof pattern !== 'string') return JSON_PER_CHAR * numberOr(maxLength) + 2
  const digits = /\{(\d+)\}\$$/.exec(pattern)?.[1]
  // An instant, or `v1.2`.
  return digits === undefined ? 34 : Number(digits) + 2
}

function mostOfObject({ properties }: Schema, path: readonly string[]): number {
  if (properties === undefined) return Infinity
  let bytes = 2
  for (const [name, field] of Object.entries(properties as Readonly<Record<string, Schema>>)) {
    if (path.length === 1 && ONLY_AT_THE_START.has(name)) continue
    bytes += name.length + 4 + mostOf(field, [...path, name])
  }
  return bytes
}

function numberOr(value: unknown): number {
  return typeof value === 'number' ? value : Infinity
}

it.each(Object.keys(PAYLOADS) as (keyof typeof PAYLOADS)[])(
  'the largest payload of %s that its schema and the limits allow is within what an event may hold',
  (type) => {
    expect(mostOf(PAYLOADS[type].schema, [type])).toBeLessThanOrEqual(LIMITS.inlinePayloadBytes)
  },
)

it.each(['errorText', 'notes'] as const)(
  'the largest %s that its schema allows is within what an event may hold',
  (field) => {
    expect(mostOf(DATA_SHAPES[field].schema, ['data', field])).toBeLessThanOrEqual(DATA_BYTES[field])
  },
)

it('every exception names a field that there is', () => {
  const names = Object.entries(PAYLOADS).flatMap(([type, { schema }]) =>
    Object.keys(schema['properties'] as object).flatMap((name) => [`${type}.${name}`, name]),
  )
  expect([...Object.keys(HELD), ...ONLY_AT_THE_START].filter((name) => !names.includes(name))).toEqual([])
})
