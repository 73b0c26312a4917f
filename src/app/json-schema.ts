/**
 * Checks values against the JSON Schemas (2020-12) that users write in plans. A schema is a stranger's program: it is
 * bounded before it is compiled, reaches nothing outside itself, and its patterns may not backtrack without end.
 */
import { createRequire } from 'node:module'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { LIMITS } from '../core/limits.ts'
import type { JsonSchema } from '../core/plan/plan.ts'
import { problem, type Problem } from '../core/problems/problem.ts'
import { ok, refused, type Result } from '../core/result.ts'
import { BoundedCache } from './bounded-cache.ts'
import { jsonBytes } from './json-bytes.ts'
import { isSafePattern } from './safe-pattern.ts'

type Code = Problem['code']

const MAX_SCHEMA_BYTES = 256 * 1024
const MAX_SCHEMA_DEPTH = 64
/** Even a harmless pattern takes quadratic time on some texts. */
const MAX_PATTERN_TEXT = 16 * 1024
const MAX_ERRORS_SHOWN = 10
const COMPILED_MAX = 256

type Kind = 'check' | 'defaults'

const compiled = new BoundedCache<string, Result<ValidateFunction>>(COMPILED_MAX)
/** The text of a schema is its key; plans are frozen, so an object seen before has the text it had. */
const textOf = new WeakMap<object, string>()

/** Does the value match? Problems carry `code` and say where and what, in the words of a person. */
export function validateJson(schema: JsonSchema, value: unknown, code: Code): Result<unknown> {
  return validated(schema, 'check', value, code)
}

/** Like `validateJson`, but gives back a copy in which the schema's defaults are filled in; the value stays as it is. */
export function applyDefaults(schema: JsonSchema, value: unknown, code: Code): Result<unknown> {
  return validated(schema, 'defaults', structuredClone(value), code)
}

/** Is this a schema we accept at all? For admission; problems are PLAN_SCHEMA_INVALID. */
export function checkSchema(schema: JsonSchema): Result<undefined> {
  const found = compiledOnce(schema, 'check')
  return found.ok ? ok(undefined) : found
}

function validated(schema: JsonSchema, kind: Kind, value: unknown, code: Code): Result<unknown> {
  const found = compiledOnce(schema, kind)
  if (!found.ok) return found
  const validate = found.value
  try {
    if (validate(value)) return ok(value)
  } catch (thrown) {
    // A text too long for a pattern, or a recursive schema on a value nested thousands of levels deep.
    return refused(problem(code, thrown instanceof Error ? thrown.message : 'The value cannot be checked.'))
  }
  const errors = validate.errors ?? []
  return refused(...errors.slice(0, MAX_ERRORS_SHOWN).map((error) => problemOf(error, code)))
}

function compiledOnce(schema: JsonSchema, kind: Kind): Result<ValidateFunction> {
  const text = schemaText(schema)
  if (!text.ok) return text
  const key = `${kind}:${text.value}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const fresh = compileSchema(text.value, kind)
  compiled.set(key, fresh)
  return fresh
}

/** The bounds come first: a schema that is too deep or too large is not even written as text. */
function schemaText(schema: JsonSchema): Result<string> {
  if (typeof schema !== 'object') return ok(String(schema))
  const known = textOf.get(schema)
  if (known !== undefined) return ok(known)
  const reason =
    jsonBytes(schema, MAX_SCHEMA_BYTES) === undefined
      ? `A JSON Schema must be JSON and may have ${MAX_SCHEMA_BYTES} bytes.`
      : refusalOf(schema, 0)
  if (reason !== undefined) return invalid(reason)
  const text = JSON.stringify(schema)
  textOf.set(schema, text)
  return ok(text)
}

function compileSchema(text: string, kind: Kind): Result<ValidateFunction> {
  try {
    return ok(newAjv(kind === 'defaults').compile(JSON.parse(text) as JsonSchema))
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'it cannot be compiled'
    return invalid(`A JSON Schema is not valid: ${why.slice(0, LIMITS.errorTextBytes)}.`)
  }
}

/** What is refused before any of it is compiled. Walks everything, so a property named `$ref` is judged too. */
function refusalOf(node: unknown, depth: number): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined
  if (depth > MAX_SCHEMA_DEPTH) return `A JSON Schema may be ${MAX_SCHEMA_DEPTH} levels deep.`
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
  if (name === 'pattern' && typeof value === 'string' && !isSafePattern(value)) return unsafePattern(value)
  if (name !== 'patternProperties' || typeof value !== 'object' || value === null) return undefined
  const unsafe = Object.keys(value).find((pattern) => !isSafePattern(pattern))
  return unsafe === undefined ? undefined : unsafePattern(unsafe)
}

function unsafePattern(pattern: string): string {
  return `The pattern \`${pattern.slice(0, 200)}\` is too long or can take endless time; write it without a repeat inside a repeat.`
}

/** One instance per schema, so that the `$id`s of different plans never meet. Loaded when the first schema comes. */
function newAjv(useDefaults: boolean): InstanceType<typeof import('ajv/dist/2020.js').Ajv2020> {
  const require = createRequire(import.meta.url)
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  const { default: addFormats } = require('ajv-formats') as typeof import('ajv-formats')
  const ajv = new Ajv2020({
    allErrors: true,
    useDefaults,
    strict: 'log',
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    logger: { log: () => undefined, warn: refuseUnknownKeyword, error: () => undefined },
    code: { regExp: boundedRegExp },
  })
  addFormats.default(ajv)
  return ajv
}

/** A misspelt keyword would check nothing without a word; names that begin with `x-` are the author's own. */
function refuseUnknownKeyword(message: unknown): void {
  if (typeof message === 'string' && /unknown keyword: "(?!x-)/.test(message)) throw new Error(message)
}

const boundedRegExp = Object.assign(
  (pattern: string, flags: string) => {
    const expression = new RegExp(pattern, flags)
    return {
      test: (text: string): boolean => {
        if (text.length > MAX_PATTERN_TEXT)
          throw new Error(`A text of ${text.length} characters is too long for a pattern.`)
        return expression.test(text)
      },
      // ajv keeps compiled patterns under this text; without it all would be one.
      toString: (): string => String(expression),
    }
  },
  { code: 'new RegExp' },
)

function problemOf(error: ErrorObject, code: Code): Problem {
  const place = error.instancePath.split('/').slice(1).map(unescaped)
  const named = place.length === 0 ? 'The value' : `\`${place.join('.')}\``
  return problem(code, `${named} ${said(error)}.`, { pointer: error.instancePath })
}

function said(error: ErrorObject): string {
  const params: Readonly<Record<string, unknown>> = error.params
  switch (error.keyword) {
    case 'required':
      return `must have \`${String(params['missingProperty'])}\``
    case 'additionalProperties':
      return `must not have \`${String(params['additionalProperty'])}\``
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues']).slice(0, 500)}`
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue']).slice(0, 500)}`
    default:
      return error.message ?? `does not match \`${error.keyword}\``
  }
}

function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

function invalid(message: string): Result<never> {
  return refused(problem('PLAN_SCHEMA_INVALID', message))
}
