/**
 * Writes a step's output into the run's context as its captures say. The delta is recorded (path, mode, value); the
 * context is the fold of those deltas in the order of the log, and this file is that fold, for the first time and for
 * every replay (P-16, DFL-10). Values are never changed in place.
 */
import { greatest } from '../../core/collections/extremes.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Capture, Json, StepCommon } from '../../core/plan/plan.ts'
import { REFUSED_KEYS } from '../../core/plan/plan-limits.ts'
import { problem } from '../../core/problems/problem.ts'
import { ok, refused, type Result } from '../../core/result.ts'
import { ExpressionBudget } from '../expressions/budget.ts'
import { evaluateOver } from '../expressions/expressions.ts'
import { jsonBytes } from '../schemas/json-bytes.ts'
import { offloaded, type Blob, type BlobRef } from './offload.ts'
import type { ContextChange, ContextVariables } from './run-context.ts'

export interface RecordedCapture {
  readonly path: string
  readonly mode: Capture['merge']
  /** The blob of a value that is too large to be inline. */
  readonly ref?: BlobRef
}

export interface CapturedOutput {
  /** `captures` of StepCompleted. */
  readonly captures: readonly RecordedCapture[]
  /** `captureValues` of its data: the deltas, one per capture; null for a blob. */
  readonly values: readonly unknown[]
  readonly blobs: readonly Blob[]
  /** The merged value of every changed variable, one row each. */
  readonly writes: readonly ContextChange[]
}

/**
 * `output` is the step's result; a `transform` is evaluated over it alone. Private variables are left out: they stay in
 * the step (DFL-05). Any refusal is a permanent failure of the attempt.
 */
export function applyCaptures(
  captures: readonly Capture[],
  output: unknown,
  context: ContextVariables,
  isolate: StepCommon['isolate'] = {},
): Result<CapturedOutput> {
  const kept = captures.filter(({ destination }) => !isolate.private?.includes(variableOf(destination)))
  const values: unknown[] = []
  const budget = ExpressionBudget.ofMapping()
  for (const capture of kept) {
    const value =
      capture.transform === undefined ? ok(output ?? null) : evaluateOver(capture.transform, output ?? null, budget)
    if (!value.ok) return value
    const blocked = isolate.readOnly?.find((path) => writesInto(capture, value.value, path))
    if (blocked !== undefined)
      return invalid(`\`${capture.destination}\` would change \`${blocked}\`, which is read-only here.`)
    values.push(value.value)
  }
  if (jsonBytes(values, LIMITS.valueBytes) === undefined) {
    return refused(
      problem('DECISION_DATA_TOO_LARGE', `The captured values are larger than ${LIMITS.valueBytes} bytes.`),
    )
  }
  const recorded = kept.map(({ destination, merge }) => ({ path: destination, mode: merge }))
  const after = replayCaptures(context, recorded, values)
  if (!after.ok) return after
  // Appended values accumulate over the steps, and every step reads all of them. Each input was within its limits.
  const bytes = bytesOf(after.value)
  if (bytes > LIMITS.contextBytes) {
    const message = `With what is captured the variables of the run have ${bytes} bytes; at most ${LIMITS.contextBytes} are allowed.`
    return refused(problem('DECISION_DATA_TOO_LARGE', message))
  }
  const variables = [...new Set(recorded.map(({ path }) => variableOf(path)))]
  const writes = variables.map((variable) => ({ variable, value: after.value[variable] as Json }))
  return ok({ ...recordedForm(recorded, values), writes })
}

/** Values are never changed in place, so a variable that a step does not change is measured once. */
const MEASURED = new WeakMap<object, number>()

function bytesOf(variables: ContextVariables): number {
  let bytes = 2
  for (const [name, value] of Object.entries(variables)) bytes += Buffer.byteLength(name) + 4 + sizeOf(value)
  return bytes
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value) ?? '')
  const known = MEASURED.get(value)
  if (known !== undefined) return known
  const bytes = Buffer.byteLength(JSON.stringify(value))
  MEASURED.set(value, bytes)
  return bytes
}

/** The captures of an event: what fits stays in it, the largest values become blobs until the rest fits (P-05). */
export function recordedForm(
  captures: readonly RecordedCapture[],
  values: readonly unknown[],
): Omit<CapturedOutput, 'writes'> {
  const inline = [...values]
  const recorded = [...captures]
  const blobs: Blob[] = []
  while (jsonBytes(inline, LIMITS.factsBytes) === undefined) {
    const sizes = inline.map((value) => (value === null ? 0 : (jsonBytes(value, Infinity) ?? 0)))
    const largest = sizes.indexOf(greatest(sizes))
    const capture = recorded[largest]
    // Nothing left to move: happens only with very many captures, and the event is then refused by its size.
    if (capture === undefined || capture.ref !== undefined) break
    const { ref, blob } = offloaded(inline[largest])
    recorded[largest] = { ...capture, ref }
    inline[largest] = null
    blobs.push(blob)
  }
  return { captures: recorded, values: inline, blobs }
}

/** The context after recorded captures: the same fold as in `applyCaptures`. */
export function replayCaptures(
  context: ContextVariables,
  captures: readonly RecordedCapture[],
  values: readonly unknown[],
): Result<ContextVariables> {
  let after: unknown = context
  for (const [index, { path, mode }] of captures.entries()) {
    const segments = path.split('.')
    if (segments.some((segment) => segment === '' || REFUSED_KEYS.has(segment)))
      return invalid(`\`${path}\` is not a context path.`)
    const written = write(after, segments, path, (current) => combined(mode, current, values[index] ?? null, path))
    if (!written.ok) return written
    after = written.value
  }
  return ok(after as ContextVariables)
}

type Change = (current: unknown) => Result<unknown>

function write(container: unknown, segments: readonly string[], path: string, change: Change): Result<unknown> {
  const [segment, ...rest] = segments
  if (segment === undefined) return change(container)
  if (Array.isArray(container)) return writeElement(container, segment, rest, path, change)
  if (container !== undefined && container !== null && !isObject(container)) {
    return invalid(`\`${path}\` leads through a value that is neither an object nor a list.`)
  }
  const fields: Readonly<Record<string, unknown>> = container ?? {}
  const current = Object.hasOwn(fields, segment) ? fields[segment] : undefined
  const written = write(current, rest, path, change)
  return written.ok ? ok({ ...fields, [segment]: written.value }) : written
}

function writeElement(
  list: readonly unknown[],
  segment: string,
  rest: readonly string[],
  path: string,
  change: Change,
): Result<unknown> {
  const index = /^(0|[1-9]\d{0,8})$/.test(segment) ? Number(segment) : -1
  if (index < 0 || index > list.length) return invalid(`\`${path}\` names no place of the list it leads through.`)
  const written = write(list[index], rest, path, change)
  return written.ok ? ok([...list.slice(0, index), written.value, ...list.slice(index + 1)]) : written
}

function combined(mode: Capture['merge'], current: unknown, value: unknown, path: string): Result<unknown> {
  if (mode === 'replace') return ok(value)
  if (mode === 'append') {
    if (current === undefined || current === null) return ok([value])
    return Array.isArray(current)
      ? ok([...current, value])
      : invalid(`\`${path}\` is not a list, so nothing can be appended to it.`)
  }
  if (!isObject(value)) return invalid(`Only an object can be merged into \`${path}\`.`)
  if (current === undefined || current === null) return ok(value)
  return isObject(current)
    ? ok(overlaid(current, value))
    : invalid(`\`${path}\` is not an object, so nothing can be merged into it.`)
}

/** Own properties only, and defined instead of assigned: a key named `__proto__` in an output stays a plain key. */
function overlaid(under: object, over: object): object {
  return Object.fromEntries([...Object.entries(under), ...Object.entries(over)])
}

export function variableOf(path: string): string {
  return path.split('.', 1)[0] ?? ''
}

function writesInto(capture: Capture, value: unknown, readOnly: string): boolean {
  const { destination, merge } = capture
  if (destination === readOnly || destination.startsWith(`${readOnly}.`)) return true
  if (!readOnly.startsWith(`${destination}.`)) return false
  // A shallow merge above a read-only path changes it only if it contains the key that leads there.
  const next = readOnly.slice(destination.length + 1).split('.', 1)[0] ?? ''
  return merge !== 'merge' || (isObject(value) && Object.hasOwn(value, next))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(message: string): Result<never> {
  return refused(problem('OUTPUT_INVALID', message))
}
