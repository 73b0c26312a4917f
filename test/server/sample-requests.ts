/**
 * For every route of the table one request that it takes, made of its own shapes: what a new route needs more than that is a line in
 * `BODIES`. Names in a path, a query or a body are those of somebody's world, so that they can be those of another's.
 */
import { randomUUID } from 'node:crypto'
import { pathNames, type Contract } from '../../src/core/api/contract.ts'

/** What one tenant has, by the names that routes use for it. */
export type Names = Readonly<Record<string, string>>

export interface SampleRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

export interface SchemaLike {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly items?: SchemaLike
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, SchemaLike>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | SchemaLike
}

/** What the shape alone does not say. `names` are put in by their keys afterwards. */
const BODIES: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
  startExecution: () => ({ planId: '', input: {} }),
  executeWorkflow: () => ({ planId: '', input: {} }),
  sendSignal: () => ({ signalId: randomUUID(), signalType: 'PAUSE', payload: { reason: 'a sample' } }),
  completeTask: () => ({ outcome: 'Succeeded' }),
  publishPlan: () => ({ text: 'plan: sample\nversion: 1.0.0\nsteps: [{ id: a, run: pack }]\n', check: true }),
  setLimit: () => ({ maxRunning: 1_000, whenFull: 'QUEUE' }),
  saveView: () => ({ name: 'failed', filter: 'status:failed' }),
  sendEvent: () => ({ name: 'a.sample' }),
  createSchedule: () => ({ scheduleId: '', planId: '', every: '1h', pausedUntil: '2999-01-01T00:00:00Z' }),
  updateSchedule: () => ({ planId: '', every: '1h' }),
  previewSchedule: () => ({ every: '1h' }),
  startBackfill: () => ({ from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:01Z' }),
  createTrigger: () => ({ trigger: '', planId: '', scheme: 'github' }),
  updateTrigger: () => ({ planId: '', scheme: 'github' }),
  testTrigger: () => ({ body: {} }),
  previewOperation: () => ({ filter: {}, signalType: 'PAUSE' }),
  startOperation: () => ({ operationId: randomUUID(), filter: { planId: 'nobodys' }, signalType: 'PAUSE' }),
  createKey: () => ({ displayName: 'robot', roles: ['viewer'] }),
}

/** What these are told is no name of the world. */
const OWN_NAMES = ['sendSignal', 'startBackfill', 'startOperation']

/** Where a query has another meaning than the name that the world gives. */
const QUERIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tryExpression: { expression: 'run.id' },
  previewBackfill: { from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:01Z' },
}

/** `all`: also the optional names in query and body that the world has. */
export function sampleRequest(contract: Contract, names: Names, all = false): SampleRequest {
  const path = pathNames(contract).reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(named(names, name, contract))),
    contract.path as string,
  )
  const query = (contract.query?.schema ?? {}) as SchemaLike
  const asked = Object.entries(query.properties ?? {})
    .filter(([name]) => query.required?.includes(name) === true || (all && Object.hasOwn(names, name)))
    .map(([name, schema]) => [name, QUERIES[contract.id]?.[name] ?? names[name] ?? String(sampleOf(schema))])
  const { method, id, body } = contract
  if (body === undefined) return { method, path, query: Object.fromEntries(asked) }
  const given = BODIES[id]?.() ?? (sampleOf(body.schema as SchemaLike) as Readonly<Record<string, unknown>>)
  const put = Object.keys(given).filter((name) => Object.hasOwn(names, name) && !OWN_NAMES.includes(id))
  const withNames = { ...given, ...Object.fromEntries(put.map((name) => [name, names[name]])) }
  return { method, path, query: Object.fromEntries(asked), body: withNames }
}

function named(names: Names, name: string, { id }: Contract): string {
  const value = names[name]
  if (value === undefined) throw new Error(`${id}: say in test/server/peopled.ts what {${name}} is of a tenant`)
  return value
}

/** The smallest value of a shape. */
export function sampleOf(schema: SchemaLike): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.type === 'integer') return schema.minimum ?? 0
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') return []
  if (schema.type === 'string') return sampleText(schema)
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name))
  return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field)]))
}

function sampleText({ pattern, minLength = 0 }: SchemaLike): string {
  if (pattern === undefined) return 'x'.repeat(minLength)
  const tries = ['1.0.0', 'a'.repeat(64), randomUUID()]
  return tries.find((text) => new RegExp(pattern, 'u').test(text)) ?? ''
}

export function searchOf(query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? '' : `?${text}`
}

/** Does it answer with a stream that may never end? */
export function isStream({ answers }: Contract): boolean {
  return Object.values(answers).some(({ type }) => type === 'text/event-stream')
}
