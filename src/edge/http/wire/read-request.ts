/**
 * A request as its route takes it, or a refusal that names every mistake. Nothing is guessed: text that JSON cannot keep exactly, a
 * field or query that the route does not have, and a query that is given twice are refused whole.
 */
import { validateJson } from '../../../app/schemas/json-schema.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { placeOfFault, readJsonText } from '../../../core/json/read-json-text.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail, KeelsonError, problem, type Problem } from '../../../core/problems/problem.ts'
import { unwrap } from '../../../core/result.ts'
import type { Shape } from '../../../core/schema/shape.ts'

type Fields = Readonly<Record<string, { readonly type?: string }>>

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** The value in the bytes of a body. */
export function readBody(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    return fail('BODY_INVALID', 'the body is not UTF-8')
  }
  const reading = readJsonText(text, { keys: LIMITS.bodyKeys })
  if (reading.ok) return reading.value
  return fail(
    'BODY_INVALID',
    `the body is not JSON that can be kept: ${reading.fault.message} (${placeOfFault(reading.fault)})`,
  )
}

/** Checks a value against the shape of its part of the request. */
export function checked(shape: Shape<unknown>, value: unknown, part: 'body' | 'query' | 'path'): unknown {
  refuseUnknown(shape, value, part)
  const valid = validateJson(shape.schema, value, 'BODY_INVALID')
  if (valid.ok) return withoutNul(shape.schema, value, part)
  return unwrap({ ...valid, problems: valid.problems.map((one) => inPart(one, part)) as unknown as readonly [Problem] })
}

/**
 * A text that a route names is looked up or kept as it is, and not every store can keep a NUL. What it leaves free (an input, an output) is
 * kept as JSON, which writes one; so is a text of programs, which its shape marks as `text/plain`.
 */
function withoutNul(schema: Schema, value: unknown, part: string, pointer = ''): unknown {
  if (typeof value === 'string' && value.includes('\0') && schema.type === 'string' && !('contentMediaType' in schema))
    fail('BODY_INVALID', `${part}: \`${pointer.slice(1).replaceAll('/', '.')}\` holds a NUL`, { pointer })
  if (typeof value !== 'object' || value === null) return value
  const { properties, items } = schema
  for (const [name, one] of Object.entries(value)) {
    const own = Array.isArray(value)
      ? items
      : properties !== undefined && Object.hasOwn(properties, name) && properties[name]
    if (typeof own === 'object') withoutNul(own, one, part, `${pointer}/${name}`)
  }
  return value
}

interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

function inPart(found: Problem, part: string): Problem {
  return { ...found, message: `${part}: ${found.message}` }
}

/** Told first, because of the hint: a misspelt field is also a missing one. */
function refuseUnknown({ schema }: Shape<unknown>, value: unknown, part: string): void {
  if (schema['additionalProperties'] !== false || typeof value !== 'object' || value === null) return
  const known = Object.keys((schema['properties'] ?? {}) as Fields)
  const found = Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => unknownField(name, known, part))
  const [first, ...others] = found
  if (first !== undefined) throw new KeelsonError([first, ...others])
}

function unknownField(name: string, known: readonly string[], part: string): Problem {
  const why = name === 'tenantId' || name === 'tenant' ? '; the tenant comes from who asks, and from nowhere else' : ''
  return problem('BODY_INVALID', `${part}: '${name}' is not a field of this request${why}`, {
    pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    ...(why === '' ? didYouMean(name, known) : {}),
  })
}

/** A query as its shape has it: numbers, flags and lists are made of their texts. */
export function readQuery(shape: Shape<unknown> | undefined, search: URLSearchParams): unknown {
  const fields = (shape?.schema['properties'] ?? {}) as Fields
  const value: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const name of new Set(search.keys())) {
    const texts = search.getAll(name)
    const type = Object.hasOwn(fields, name) ? fields[name]?.type : undefined
    if (type === 'array') value[name] = texts
    else if (texts.length > 1) fail('BODY_INVALID', `query: '${name}' is given ${texts.length} times; once is allowed`)
    else value[name] = valueOf(texts[0] ?? '', type, name)
  }
  return shape === undefined ? checked({ schema: NOTHING }, value, 'query') : checked(shape, value, 'query')
}

const NOTHING = { type: 'object', properties: {}, additionalProperties: false }

function valueOf(text: string, type: string | undefined, name: string): unknown {
  if (type === 'integer') {
    if (!/^-?(0|[1-9][0-9]{0,15})$/.test(text))
      fail('BODY_INVALID', `query: '${name}' must be a whole number, not '${text}'`)
    return Number(text)
  }
  if (type !== 'boolean') return text
  if (text === 'true' || text === '1' || text === '') return true
  return text === 'false' || text === '0'
    ? false
    : fail('BODY_INVALID', `query: '${name}' is 'true' or 'false', not '${text}'`)
}
