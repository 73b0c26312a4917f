/**
 * What passes between this process and an isolated function. Values are cloned; functions of the context stay here and
 * are called by name from the host; errors keep what their classification needs.
 */
import { errorStatus } from '../../core/run/failure/error-status.ts'

export type ToFunction =
  | {
      readonly kind: 'call'
      readonly module: string
      readonly name: string
      readonly input: unknown
      readonly context: Readonly<Record<string, WireValue>>
    }
  | { readonly kind: 'abort'; readonly reason: WireError }
  | { readonly kind: 'answer'; readonly id: number; readonly value?: unknown; readonly error?: WireError }

export type FromFunction =
  | { readonly kind: 'ask'; readonly id: number; readonly path: readonly string[]; readonly args: readonly unknown[] }
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly error: WireError }

export type WireValue =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'function' }
  /** Reading this field throws here, so it throws in the host too. */
  | { readonly kind: 'refused'; readonly error: WireError }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, WireValue>>; readonly hidden: boolean }

export interface WireError {
  readonly name: string
  readonly message: string
  readonly stack?: string
  readonly code?: string
  readonly syscall?: string
  readonly status?: number
  readonly cause?: WireError
  /** The members of an AggregateError: there `fetch` and `net` put the reason of a failed connection. */
  readonly errors?: readonly WireError[]
}

const CAUSES_MAX = 16

export function wireError(thrown: unknown, depth = 0): WireError {
  const { name, message, stack, code, syscall, cause, errors } = fieldsOf(thrown)
  const status = errorStatus(thrown)
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : String(thrown),
    ...(typeof stack === 'string' ? { stack } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof syscall === 'string' ? { syscall } : {}),
    ...(status === undefined ? {} : { status }),
    ...(cause === undefined || cause === null || depth >= CAUSES_MAX ? {} : { cause: wireError(cause, depth + 1) }),
    // Members of members are left out: the tree must not grow without end.
    ...(Array.isArray(errors) && depth === 0
      ? { errors: errors.slice(0, CAUSES_MAX).map((one) => wireError(one, CAUSES_MAX)) }
      : {}),
  }
}

function fieldsOf(thrown: unknown): Readonly<Record<string, unknown>> {
  return typeof thrown === 'object' && thrown !== null ? (thrown as Readonly<Record<string, unknown>>) : {}
}

export function errorOfWire({ name, message, stack, code, syscall, status, cause, errors }: WireError): Error {
  const options = cause === undefined ? {} : { cause: errorOfWire(cause) }
  const error =
    errors === undefined ? new Error(message, options) : new AggregateError(errors.map(errorOfWire), message, options)
  const more = {
    name,
    ...(stack === undefined ? {} : { stack }),
    ...(code === undefined ? {} : { code }),
    ...(syscall === undefined ? {} : { syscall }),
  }
  return Object.assign(error, more, status === undefined ? {} : { status })
}

/** Hidden fields such as secrets are sent too and are hidden there as well. Signals have their own messages. */
export function wireContext(context: object): Readonly<Record<string, WireValue>> {
  const fields: Record<string, WireValue> = {}
  for (const name of namesOf(context)) {
    const wired = wireField(context, name)
    if (wired !== undefined) fields[name] = wired
  }
  return fields
}

function wireField(owner: object, name: string): WireValue | undefined {
  try {
    const value: unknown = Reflect.get(owner, name)
    return value instanceof AbortSignal ? undefined : wireValue(value)
  } catch (thrown) {
    return { kind: 'refused', error: wireError(thrown) }
  }
}

function wireValue(value: unknown): WireValue {
  if (typeof value === 'function') return { kind: 'function' }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'value', value }
  return { kind: 'object', fields: wireContext(value), hidden: Object.keys(value).length === 0 }
}

/** Own fields, including hidden ones, and the getters of its class. */
function namesOf(owner: object): readonly string[] {
  const names = new Set(Object.getOwnPropertyNames(owner))
  for (let proto = protoOf(owner); proto !== null && proto !== Object.prototype; proto = protoOf(proto)) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(proto)))
      if (get !== undefined) names.add(name)
  }
  return [...names]
}

function protoOf(value: object): object | null {
  return Object.getPrototypeOf(value) as object | null
}
