/**
 * Checks values against the JSON Schemas (2020-12) that users write in plans. A schema is an untrusted program: it is
 * bounded before it is compiled, reaches nothing outside itself, and its work on a value is counted.
 */
import { LIMITS } from '../../core/limits.ts'
import type { JsonSchema } from '../../core/plan/plan.ts'
import { problem, type Problem } from '../../core/problems/problem.ts'
import { ok, refused, refusedFor, type Result } from '../../core/result.ts'
import { BoundedCache } from './bounded-cache.ts'
import { jsonBytes } from './json-bytes.ts'
import { meet, MISTAKES_TOLD, SchemaBudget, SchemaTooCostly, type Mistake, type Part } from './part.ts'
import { readSchema } from './program.ts'

type Code = Problem['code']

/** In weights: the cache of schemas is bounded in memory, not only in number. */
const COMPILED_MAX = 256
const BYTES_PER_WEIGHT = 4_096

const compiled = new BoundedCache<string, Result<Part>>(COMPILED_MAX)
/** The text of a schema is its key; plans are frozen, so a known object still has the same text. */
const textOf = new WeakMap<object, string>()

/** Does the value match? Problems carry `code` and say where and what in plain words. */
export function validateJson(schema: JsonSchema, value: unknown, code: Code): Result<unknown> {
  return validated(schema, value, code, false)
}

/** Like `validateJson`, but returns a copy with the schema's defaults filled in; the value itself stays unchanged. */
export function applyDefaults(schema: JsonSchema, value: unknown, code: Code): Result<unknown> {
  return validated(schema, structuredClone(value), code, true)
}

/** Is this schema accepted at all? For admission; problems are PLAN_SCHEMA_INVALID. */
export function checkSchema(schema: JsonSchema): Result<undefined> {
  const found = compiledOnce(schema)
  return found.ok ? ok(undefined) : found
}

function validated(schema: JsonSchema, value: unknown, code: Code, fills: boolean): Result<unknown> {
  const found = compiledOnce(schema)
  if (!found.ok) return found
  const mistakes: Mistake[] = []
  try {
    if (holds(found.value, value, fills)) return ok(value)
    holds(found.value, value, fills, mistakes)
  } catch (thrown) {
    if (mistakes.length === 0) return refused(problem(code, reasonOf(thrown)))
  }
  return refusedFor(mistakes.slice(0, MISTAKES_TOLD).map((mistake) => problemOf(mistake, code)))
}

/** Mistakes are collected only when the value does not match. */
function holds(part: Part, value: unknown, fills: boolean, mistakes?: Mistake[]): boolean {
  const budget = new SchemaBudget(fills)
  const scope = { document: part.document, outer: undefined }
  return meet(part, value, { budget, path: undefined, mistakes, seen: undefined, scope, fills })
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof SchemaTooCostly) return thrown.message
  if (thrown instanceof RangeError)
    return 'The value is nested too deeply for its schema, or the schema refers to itself.'
  throw thrown
}

function compiledOnce(schema: JsonSchema): Result<Part> {
  const text = schemaText(schema)
  if (!text.ok) return text
  const known = compiled.get(text.value)
  if (known !== undefined) return known
  const fresh = readQuietly(text.value)
  compiled.set(text.value, fresh, Math.ceil(text.value.length / BYTES_PER_WEIGHT))
  return fresh
}

/** Limits first: a schema that is too deep or too large is not written as text. */
function schemaText(schema: JsonSchema): Result<string> {
  if (typeof schema !== 'object') return ok(String(schema))
  const known = textOf.get(schema)
  if (known !== undefined) return ok(known)
  const reason =
    jsonBytes(schema, LIMITS.schemaBytes) === undefined
      ? `A JSON Schema must be JSON and may have ${LIMITS.schemaBytes} bytes.`
      : refusalOf(schema, 0)
  if (reason !== undefined) return invalid(reason)
  const text = JSON.stringify(schema)
  textOf.set(schema, text)
  return ok(text)
}

function readQuietly(text: string): Result<Part> {
  try {
    return ok(readSchema(JSON.parse(text)))
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'it cannot be compiled'
    return invalid(`A JSON Schema is not valid: ${why.slice(0, LIMITS.errorTextBytes)}.`)
  }
}

/** What is refused before any of it is compiled. Visits everything, so a property named `$ref` is checked too. */
function refusalOf(node: unknown, depth: number): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined
  if (depth > LIMITS.schemaDepth) return `A JSON Schema may be ${LIMITS.schemaDepth} levels deep.`
  for (const [name, child] of Object.entries(node)) {
    const reason = refusalOfKeyword(name, child) ?? refusalOf(child, depth + 1)
    if (reason !== undefined) return reason
  }
  return undefined
}

function refusalOfKeyword(name: string, value: unknown): string | undefined {
  if (name === '$async' && value === true) return 'A JSON Schema may not be asynchronous.'
  if ((name === '$ref' || name === '$dynamicRef') && typeof value === 'string' && !value.startsWith('#')) {
    return `A JSON Schema may refer only to parts of itself (\`#/$defs/…\`), not to \`${value.slice(0, 200)}\`.`
  }
  return undefined
}

function problemOf({ path, message }: Mistake, code: Code): Problem {
  const named = path.length === 0 ? 'The value' : `\`${path.join('.')}\``
  const pointer = path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return problem(code, `${named} ${message}.`, { pointer })
}

function invalid(message: string): Result<never> {
  return refused(problem('PLAN_SCHEMA_INVALID', message))
}
