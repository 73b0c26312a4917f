/**
 * The shape of a foreign capability matrix: what the adapter of one port family can do and how each operation is
 * undone. A compensation is named and its input described, or neither, and only where the safety entry says that
 * undoing is supported (CMP-07).
 */
import type { Problem } from '../../problems/problem.ts'
import { ok, type Result } from '../../result.ts'
import { EXECUTION_TIERS } from '../../view/fold/vocabulary.ts'
import { objectOf, optional, required, type ObjectOf } from '../format/fields.ts'
import { isObject, kindOf, listOf, type Kind } from '../format/kind.ts'
import { anyText, id, oneOf, text } from '../format/kinds.ts'
import type { Json } from '../plan.ts'
import type { ReadOptions } from '../read/read-document.ts'
import { child, refuse, type Place, type Reading } from '../read/reading.ts'
import { readForeign, yesOrNo } from './read-foreign.ts'

const ENTITY_VERB = /^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$/
const operation = text({
  max: 256,
  pattern: ENTITY_VERB,
  what: 'text of the form <entity>:<verb> such as invoice:reverse',
})
const schema = kindOf('a JSON Schema (an object)', { type: 'object' }, isObject)

/** Fields that a plan does not use; they are neither read nor kept. */
const unused: Kind<Json> = { what: 'a value', schema: {}, read: (value) => value }
const ignored = optional(unused, 'Not used.', '{}')

const safety = objectOf(
  {
    defaultTier: optional(oneOf(...EXECUTION_TIERS), 'Not used: the workflow has the tier.', 'Auto'),
    requiresApproval: optional(yesOrNo, 'Whether a person must agree first, whatever the tier.', 'true'),
    idempotent: optional(yesOrNo, 'Whether doing it twice is the same as once.', 'true'),
    supportsDryRun: ignored,
    supportsRollback: ignored,
    supportsCompensation: optional(yesOrNo, 'Whether it can be undone.', 'true'),
  },
  { what: 'safety' },
)

const capability = objectOf(
  {
    capability: required(operation, 'What can be done.', 'invoice:write'),
    supported: optional(yesOrNo, 'Whether the adapter does it.', 'true'),
    operations: optional(listOf(anyText), 'Other names of it.', '[]'),
    safety: required(safety, 'What doing it means.', '{ supportsCompensation: true }'),
    constraints: ignored,
    compensationOperation: optional(operation, 'What undoes it.', 'invoice:reverse'),
    compensationInputSchema: optional(schema, 'JSON Schema of what undoing needs.', '{ type: object }'),
    notes: ignored,
  },
  { what: 'a capability' },
)

const matrix = objectOf(
  {
    schemaVersion: ignored,
    providerId: ignored,
    providerName: ignored,
    portFamily: required(id, 'The family of systems it is about.', 'FinanceAccounting'),
    adapterVersion: ignored,
    auth: ignored,
    limits: ignored,
    events: ignored,
    idempotency: ignored,
    diff: ignored,
    capabilities: required(listOf(capability, { min: 1, max: 10_000 }), 'What can be done.', '[]'),
    notes: ignored,
  },
  { what: 'a capability matrix' },
)

export type CapabilityMatrix = ObjectOf<(typeof matrix)['fields']>
export type Capability = CapabilityMatrix['capabilities'][number]

export function parseCapabilityMatrix(given: string, options: ReadOptions = {}): Result<CapabilityMatrix, Problem> {
  const found = readForeign(given, options, 'CAPABILITY_MATRIX_INVALID', matrix, checkMatrix)
  return found.ok ? ok(found.value.value) : found
}

function checkMatrix({ capabilities }: CapabilityMatrix, reading: Reading): void {
  const seen = new Set<string>()
  capabilities.forEach((entry, index) => {
    const at = child(child(undefined, 'capabilities'), index)
    const { capability: name } = entry
    if (seen.has(name)) refuse(reading, reading.codes.invalid, child(at, 'capability'), `'${name}' is listed twice`)
    seen.add(name)
    checkCompensation(entry, at, reading)
  })
}

function checkCompensation(entry: Capability, at: Place, reading: Reading): void {
  const named = entry.compensationOperation !== undefined
  const described = entry.compensationInputSchema !== undefined
  if (!named && !described) return
  const present = named ? 'compensationOperation' : 'compensationInputSchema'
  if (!named || !described) {
    const absent = named ? 'compensationInputSchema' : 'compensationOperation'
    refuse(reading, reading.codes.missing, child(at, present), `'${present}' needs '${absent}' too`, { part: 'key' })
  }
  if (entry.safety.supportsCompensation !== true) {
    const stated = entry.safety.supportsCompensation !== undefined
    const place = stated ? child(child(at, 'safety'), 'supportsCompensation') : child(at, 'safety')
    refuse(reading, reading.codes.invalid, place, `'${present}' needs safety.supportsCompensation: true`)
  }
}

/** By the capability itself, else by one of its aliases. */
export function capabilityOf({ capabilities }: CapabilityMatrix, asked: string): Capability | undefined {
  return (
    capabilities.find((entry) => entry.capability === asked) ??
    capabilities.find((entry) => entry.operations?.includes(asked) === true)
  )
}
