/**
 * What each keyword of JSON Schema 2020-12 may hold, and where it holds parts of the schema. Unknown keywords are
 * refused: a misspelt one would silently check nothing. Names that begin with `x-` are the author's own.
 */
import { isFields } from './part.ts'

type Shape = readonly [what: string, holds: (value: unknown) => boolean]

/** The content of such a keyword: one part, a list, a map, or a map of parts and of lists of names. */
export type Holding = 'part' | 'parts' | 'map' | 'mixed'

const TYPES: readonly unknown[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
const DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/

const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length
const isPart = (value: unknown): boolean => typeof value === 'boolean' || isFields(value)
const isType = (value: unknown): boolean => TYPES.includes(value)

const COUNT: Shape = ['a whole number from 0 on', (value) => Number.isInteger(value) && Number(value) >= 0]
const NUMBER: Shape = ['a number', (value) => Number.isFinite(value)]
const TEXT: Shape = ['a text', isText]
const FLAG: Shape = ['true or false', (value) => typeof value === 'boolean']
const LIST: Shape = ['a list', Array.isArray]
const ANY: Shape = ['anything', () => true]
const PART: Shape = ['a schema (an object, true or false)', isPart]
const PARTS: Shape = [
  'a list of schemas, not empty',
  (value) => Array.isArray(value) && value.length > 0 && value.every(isPart),
]
const MAP: Shape = ['an object of schemas', (value) => isFields(value) && Object.values(value).every(isPart)]

const HOLDINGS: Readonly<Record<Holding, readonly [Shape, readonly string[]]>> = {
  part: [
    PART,
    [
      'additionalProperties',
      'contains',
      'contentSchema',
      'else',
      'if',
      'items',
      'not',
      'propertyNames',
      'then',
      'unevaluatedItems',
      'unevaluatedProperties',
    ],
  ],
  parts: [PARTS, ['allOf', 'anyOf', 'oneOf', 'prefixItems']],
  map: [MAP, ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']],
  mixed: [
    [
      'an object of schemas and lists of names',
      (value) => isFields(value) && Object.values(value).every((one) => isPart(one) || isTexts(one)),
    ],
    ['dependencies'],
  ],
}

const PLAIN: readonly (readonly [Shape, readonly string[]])[] = [
  [
    COUNT,
    ['maxContains', 'maxItems', 'maxLength', 'maxProperties', 'minContains', 'minItems', 'minLength', 'minProperties'],
  ],
  [NUMBER, ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum']],
  [['a number above 0', (value) => Number.isFinite(value) && Number(value) > 0], ['multipleOf']],
  [
    TEXT,
    [
      '$comment',
      '$id',
      '$ref',
      '$dynamicRef',
      'contentEncoding',
      'contentMediaType',
      'description',
      'format',
      'formatExclusiveMaximum',
      'formatExclusiveMinimum',
      'formatMaximum',
      'formatMinimum',
      'pattern',
      'title',
    ],
  ],
  [
    ['a name', (value) => isText(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)],
    ['$anchor', '$dynamicAnchor'],
  ],
  [['the address of draft 2020-12', (value) => isText(value) && DIALECT.test(value)], ['$schema']],
  [FLAG, ['$async', 'deprecated', 'nullable', 'readOnly', 'uniqueItems', 'writeOnly']],
  [LIST, ['enum', 'examples']],
  [['a list of names, each once', isTexts], ['required']],
  [
    ['an object of lists of names', (value) => isFields(value) && Object.values(value).every(isTexts)],
    ['dependentRequired'],
  ],
  [
    [
      `one or some of ${TYPES.join(', ')}`,
      (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    ],
    ['type'],
  ],
  [['an object', isFields], ['$vocabulary']],
  [ANY, ['const', 'default']],
]

const SHAPES: ReadonlyMap<string, Shape> = new Map(
  [...PLAIN, ...Object.values(HOLDINGS)].flatMap(([shape, names]) => names.map((name) => [name, shape] as const)),
)
const HELD: readonly (readonly [Holding, readonly string[]])[] = Object.entries(HOLDINGS).map(
  ([holding, [, names]]) => [holding as Holding, names],
)

/** Throws for an invalid schema; names the keyword. */
export function checkShape(schema: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(schema)) {
    const shape = SHAPES.get(name)
    if (shape === undefined) {
      if (name.startsWith('x-')) continue
      throw new Error(`unknown keyword: "${name.slice(0, 200)}"`)
    }
    const [what, holds] = shape
    if (!holds(value)) throw new Error(`schema is invalid: \`${name}\` must be ${what}`)
  }
}

/** The parts that a part holds, including those that are only true or false. */
export function heldParts(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  return HELD.flatMap(([holding, names]) =>
    names.flatMap((name) => {
      const value = schema[name]
      if (value === undefined) return []
      if (holding === 'part') return [value]
      return Object.values(value as object).filter((one) => holding !== 'mixed' || !Array.isArray(one))
    }),
  )
}
