/**
 * Full JSON Schema validation of events from outside the decider: writes strictly (EVT-25), records leniently (EVT-27).
 * Validators are compiled on first use of an event type.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { isEventType, type EventType, type LogRecord, type RunEventWrite } from '../../core/events/event.ts'
import { RECORD_ONLY, foreignRecordSchema, recordSchema, writeSchema } from '../../core/events/schemas.ts'
import { parseStepSlot, slotNames } from '../../core/events/slot.ts'
import { problem } from '../../core/problems/problem.ts'
import { ok, refused, type Result } from '../../core/result.ts'
import { msFromIso } from '../../core/time.ts'

/** EVT-06: PascalCase, without a leading `On`. */
export function isEventName(name: string): boolean {
  return /^([A-Z][a-z0-9]+)+$/.test(name) && !/^On[A-Z]/.test(name)
}

export function validateWrite(write: unknown): Result<RunEventWrite> {
  if (!isFields(write)) return invalid('An event must be an object.')
  const { eventType } = write
  if (typeof eventType !== 'string' || !isEventName(eventType)) {
    return invalid(`eventType must be a PascalCase name without "On", got ${JSON.stringify(eventType)}.`)
  }
  if (!isEventType(eventType)) return invalid(`There is no event type ${eventType}.`)
  const filled = RECORD_ONLY.find((name) => write[name] !== undefined)
  if (filled !== undefined)
    return invalid(`${eventType}: ${filled} is filled in by the append path, not by a producer.`)
  const validate = compiled(`write:${eventType}`, () => writeSchema(eventType))
  if (!validate(write)) return invalid(`${eventType}: ${explain(validate.errors)}.`)
  const other = unlikeSlot(write)
  if (other !== undefined) return invalid(`${eventType}: ${other}.`)
  return ok({ ...write, payload: write['payload'] ?? {} } as unknown as RunEventWrite)
}

/** The parts of a slot beside it say what the slot itself says (P-52). */
function unlikeSlot(write: Readonly<Record<string, unknown>>): string | undefined {
  const { stepId } = write
  const slot = typeof stepId === 'string' ? parseStepSlot(stepId) : undefined
  if (slot === undefined) return undefined
  const names: Readonly<Record<string, unknown>> = slotNames(slot)
  const unlike = ['parentStepId', 'itemIndex', 'role'].find((name) => write[name] !== names[name])
  if (unlike === undefined) return undefined
  const right = names[unlike] === undefined ? 'absent' : JSON.stringify(names[unlike])
  return `${unlike} must be ${right} beside the stepId ${JSON.stringify(stepId)}`
}

/** A known type must match its record schema, an unknown one its envelope. */
export function validateRecord(record: unknown): Result<LogRecord> {
  if (!isFields(record)) return invalid('A record must be an object.')
  const { eventType } = record
  const known: EventType | undefined = typeof eventType === 'string' && isEventType(eventType) ? eventType : undefined
  const validate = compiled(`record:${known ?? ''}`, () => (known ? recordSchema(known) : foreignRecordSchema()))
  const name = typeof eventType === 'string' ? eventType : JSON.stringify(eventType)
  if (!validate(record)) return invalid(`${name}: ${explain(validate.errors)}.`)
  return ok(record as unknown as LogRecord)
}

const validators = new Map<string, ValidateFunction>()
let ajv: Ajv2020 | undefined

function compiled(name: string, schema: () => Readonly<Record<string, unknown>>): ValidateFunction {
  const known = validators.get(name)
  if (known !== undefined) return known
  ajv ??= new Ajv2020({ strict: true, formats: { 'date-time': (text: string) => msFromIso(text) !== undefined } })
  const made = ajv.compile(schema())
  validators.set(name, made)
  return made
}

function explain(errors: readonly ErrorObject[] | null | undefined): string {
  const error = errors?.[0]
  if (error === undefined) return 'does not match its schema'
  const where = error.instancePath.slice(1).replaceAll('/', '.')
  const extra: unknown = error.params['additionalProperty']
  if (typeof extra === 'string') return `${where === '' ? '' : `${where}.`}${extra} is not a field of this event`
  return `${where === '' ? 'it' : where} ${error.message ?? 'does not match its schema'}`
}

function invalid(message: string): Result<never> {
  return refused(problem('SCHEMA_VALIDATION_FAILED', message))
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
