/**
 * An object of the plan format as a table of its fields: kind, default, meaning and an example each. Reading fills in
 * the defaults, keeps `x-…` fields, and reports every unknown or missing field at once.
 */
import { durationKind, durationTwins } from './durations.ts'
import { isObject, mustBe, type Kind, type SchemaFragment } from './kind.ts'
import type { Json } from '../plan.ts'
import { child, refuse, suggest, type Place, type Reading } from '../read/reading.ts'

export interface Field<T> {
  readonly kind: Kind<T>
  /** One sentence for the reference and for editors. */
  readonly about: string
  readonly example: string
  readonly presence: 'required' | 'optional' | 'defaulted'
  readonly fallback?: T
  /** The text of the default in the reference, where it is not a plain value. */
  readonly defaultText?: string
}
export type OptionalField<T> = Field<T> & { readonly presence: 'optional' }

export type Fields = Readonly<Record<string, Field<unknown>>>

type OptionalNames<F extends Fields> = { [K in keyof F]: F[K]['presence'] extends 'optional' ? K : never }[keyof F]
type ValueOf<F> = F extends { readonly kind: Kind<infer T> } ? T : never
export type ObjectOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]>
} & { readonly [K in OptionalNames<F>]?: ValueOf<F[K]> }

export function required<T>(
  kind: Kind<T>,
  about: string,
  example: string,
): Field<T> & { readonly presence: 'required' } {
  return { kind, about, example, presence: 'required' }
}

export function optional<T>(kind: Kind<T>, about: string, example: string, defaultText?: string): OptionalField<T> {
  return { kind, about, example, presence: 'optional', ...(defaultText === undefined ? {} : { defaultText }) }
}

export function defaulted<T>(
  kind: Kind<T>,
  fallback: T,
  about: string,
  example: string,
): Field<T> & { readonly presence: 'defaulted' } {
  return { kind, about, example, presence: 'defaulted', fallback }
}

export interface ObjectOptions {
  /** The name of the object in a message: "a step". */
  readonly what: string
  /** Names that other systems use, each with what to write instead. */
  readonly foreign?: Readonly<Record<string, string>>
}

export interface Section {
  /** Its name in the published schema and in the reference. */
  readonly name: string
  readonly fields: Fields
}

export interface ObjectKind<F extends Fields> extends Kind<ObjectOf<F>>, Section {
  readonly fields: F
}

export function objectOf<F extends Fields>(fields: F, options: ObjectOptions): ObjectKind<F> {
  const table = new Map(Object.entries(fields))
  const twins = durationTwins(fields)
  const needed = [...table.keys()].filter((name) => table.get(name)?.presence === 'required')
  const defaults = Object.fromEntries(
    [...table].flatMap(([name, { fallback }]) => (fallback === undefined ? [] : [[name, fallback]])),
  )
  const kind: ObjectKind<F> = {
    fields,
    name: options.what.replace(/^an? /, ''),
    what: `an object (${options.what})`,
    schema: objectSchema(fields),
    read: (value, place, reading) => {
      if (!isObject(value)) return mustBe(kind, value, place, reading)
      const read: Record<string, unknown> = { ...defaults }
      let whole = true
      for (const name of Object.keys(value)) {
        const full = twins.get(name)
        const compiled =
          full === undefined
            ? readField(table, options, value, name, place, reading)
            : readTwin(table.get(full)?.kind.leastMs ?? 0, full, value, name, place, reading)
        if (compiled === undefined) whole = false
        else read[full ?? name] = compiled
      }
      for (const name of needed) {
        if (value[name] !== undefined) continue
        whole = false
        refuse(reading, reading.codes.missing, place, `${options.what} needs '${name}'`)
      }
      return whole ? (read as ObjectOf<F>) : undefined
    },
  }
  return kind
}

function readTwin(
  leastMs: number,
  full: string,
  value: { readonly [name: string]: Json },
  name: string,
  place: Place | undefined,
  reading: Reading,
): number | undefined {
  const given = value[name]
  if (given === undefined) return undefined
  if (value[full] === undefined) return durationKind(leastMs).read(given, child(place, name), reading)
  const message = `'${name}' and '${full}' are the same time; both are given`
  refuse(reading, 'PLAN_FIELD_TWICE', child(place, name), message, { part: 'key' })
  return undefined
}

function readField(
  table: ReadonlyMap<string, Field<unknown>>,
  { what, foreign = {} }: ObjectOptions,
  value: { readonly [name: string]: Json },
  name: string,
  place: Place | undefined,
  reading: Reading,
): unknown {
  const given = value[name]
  const field = table.get(name)
  if (given === undefined) return undefined
  if (field !== undefined) return field.kind.read(given, child(place, name), reading)
  if (name.startsWith('x-')) return given
  const instead = Object.hasOwn(foreign, name) ? foreign[name] : undefined
  const refusal =
    instead === undefined
      ? suggest(reading, name, [...table.keys(), ...durationTwins(Object.fromEntries(table)).keys()])
      : { hint: instead }
  const message = `'${name}' is not a field of ${what}`
  refuse(reading, reading.codes.unknown, child(place, name), message, { ...refusal, part: 'key' })
  return undefined
}

function objectSchema(fields: Fields): SchemaFragment {
  const needed = Object.keys(fields).filter((name) => fields[name]?.presence === 'required')
  const twins = [...durationTwins(fields)].map(([name, full]) => [name, twinSchema(full, fields[full]?.about ?? '')])
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]),
      ...twins,
    ]),
    ...(needed.length === 0 ? {} : { required: needed }),
    patternProperties: { '^x-': {} },
    additionalProperties: false,
  }
}

function twinSchema(full: string, about: string): SchemaFragment {
  return { description: `${about} As text; \`${full}\` takes milliseconds.`, ...durationKind(0).schema }
}

function fieldSchema({ kind, about, fallback }: Field<unknown>): SchemaFragment {
  const schema = isSection(kind) ? { $ref: `#/$defs/${kind.name}` } : kind.schema
  return { description: about, ...schema, ...(fallback === undefined ? {} : { default: fallback }) }
}

export function isSection(kind: object): kind is Section {
  return 'fields' in kind && 'name' in kind
}
