/**
 * What a value handed to the library may be. A program without types, or one that hands on what it was sent, gets an answer in
 * words at the door, instead of an error from somewhere inside.
 */
import { fail } from './problems/problem.ts'

export interface Kind {
  /** As it follows "must be". */
  readonly what: string
  readonly is: (value: unknown) => boolean
  readonly hint?: string
}

const isText = (value: unknown): value is string => typeof value === 'string'

export const TEXT: Kind = { what: 'a text', is: isText }
export const PATH: Kind = { what: 'the name of a file or folder', is: (value) => isText(value) && value !== '' }
export const FLAG: Kind = { what: 'true or false', is: (value) => typeof value === 'boolean' }
export const FUNCTION: Kind = { what: 'a function', is: (value) => typeof value === 'function' }
export const OBJECT: Kind = {
  what: 'an object',
  is: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}
export const LIST: Kind = { what: 'a list', is: Array.isArray }
export const TEXTS: Kind = { what: 'a list of texts', is: (value) => Array.isArray(value) && value.every(isText) }
export const COUNT: Kind = {
  what: 'a whole number, 1 or more',
  is: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
}
export const SEQ: Kind = {
  what: 'a whole number, 0 or more',
  is: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
}
export const NUMBER: Kind = { what: 'a number', is: (value) => typeof value === 'number' && !Number.isNaN(value) }
/** `Infinity` is a time that never ends. */
export const MILLISECONDS: Kind = {
  what: 'a number of milliseconds, more than 0',
  is: (value) => typeof value === 'number' && value > 0,
}

export const oneOf = (...values: readonly string[]): Kind => ({
  what: values.map((value) => `'${value}'`).join(' or '),
  is: (value) => isText(value) && values.includes(value),
})

export const either = (...kinds: readonly Kind[]): Kind => ({
  what: kinds.map(({ what }) => what).join(' or '),
  is: (value) => kinds.some(({ is }) => is(value)),
})

/** An object that has these methods. */
export const having = (methods: readonly string[], told: Pick<Kind, 'what' | 'hint'>): Kind => ({
  ...told,
  is: (value) =>
    typeof value === 'object' &&
    value !== null &&
    methods.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function'),
})

/** `where` names the value: `openKeelson: the option 'store'`. */
export function needKind(where: string, value: unknown, { what, is, hint }: Kind): void {
  if (is(value)) return
  fail('OPTION_INVALID', `${where} must be ${what}, not ${shown(value)}`, hint === undefined ? {} : { hint })
}

export function needText(where: string, value: unknown): string {
  needKind(where, value, TEXT)
  return value as string
}

const SHOWN_CHARS = 60

/** A value may be anything: only what is short and plain is shown. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > SHOWN_CHARS ? 'a long text' : `'${value}'`
  if (value === null || typeof value === 'number' || typeof value === 'boolean' || value === undefined)
    return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
