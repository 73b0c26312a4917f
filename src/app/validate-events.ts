/**
 * Full JSON Schema validation of events that come from outside the decider: writes strictly (EVT-25), records
 * leniently (EVT-27). Validators are compiled on first use of an event type; nothing is compiled for those never seen.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { isEventType, type EventType, type ForeignRecord, type RunEventWrite } from '../core/events/event.ts'
import { RECORD_ONLY, foreignRecordSchema, recordSchema, writeSchema } from '../core/events/schemas.ts'
import { problem, type Problem } from '../core/problems/problem.ts'
import { ok, refused, type Result } from '../core/result.ts'
import { msFromIso } from '../core/time.ts'

/** EVT-06: PascalCase, and no `On` in front. */
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
  return ok({ ...write, payload: write['payload'] ?? {} } as unknown as RunEventWrite)
}

/** A known type must hold what its record schema promises, an unknown one its envelope. */
export function validateRecord(record: unknown): Result<ForeignRecord> {
  if (!isFields(record)) return invalid('A record must be an object.')
  const { eventType } = record
  const known: EventType | undefined = typeof eventType === 'string' && isEventType(eventType) ? eventType : undefined
  const validate = compiled(`record:${known ?? ''}`, () => (known ? recordSchema(known) : foreignRecordSchema()))
  if (!validate(record)) return invalid(`${String(eventType)}: ${explain(validate.errors)}.`)
  return ok(record as unknown as ForeignRecord)
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

function invalid(message: string): { readonly ok: false; readonly problems: readonly Problem[] } {
  return refused(problem('SCHEMA_VALIDATION_FAILED', message))
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
