/**
 * A Shape is a JSON Schema 2020-12 fragment that also carries the TypeScript type it describes, so that an
 * event's type, its published schema and its validator have one source. Data only: nothing validates here.
 */
export interface Shape<T> {
  readonly schema: Readonly<Record<string, unknown>>
  readonly optional?: true
  /** Phantom: never present at run time. */
  readonly type?: T
}
export type OptionalShape<T> = Shape<T> & { readonly optional: true }

export type TypeOf<S> = S extends Shape<infer T> ? T : never

type Fields = Readonly<Record<string, Shape<unknown>>>
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends OptionalShape<unknown> ? never : K }[keyof F]
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends OptionalShape<unknown> ? K : never }[keyof F]
export type ObjectOf<F extends Fields> = {
  readonly [K in RequiredKeys<F>]: TypeOf<F[K]>
} & { readonly [K in OptionalKeys<F>]?: TypeOf<F[K]> }

export function text(limits: { min?: number; max?: number; pattern?: string } = {}): Shape<string> {
  return {
    schema: {
      type: 'string',
      ...(limits.min === undefined ? {} : { minLength: limits.min }),
      ...(limits.max === undefined ? {} : { maxLength: limits.max }),
      ...(limits.pattern === undefined ? {} : { pattern: limits.pattern }),
    },
  }
}

/** A text of a program rather than a name or a word of somebody: it may hold every character. */
export function plainText(max: number): Shape<string> {
  return { schema: { type: 'string', maxLength: max, contentMediaType: 'text/plain' } }
}

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return { schema: { type: 'string', enum: [...values] } }
}

export function literal<const T extends string | number | boolean>(value: T): Shape<T> {
  return { schema: { const: value } }
}

export function integer(limits: { min?: number; max?: number } = {}): Shape<number> {
  return {
    schema: {
      type: 'integer',
      ...(limits.min === undefined ? {} : { minimum: limits.min }),
      ...(limits.max === undefined ? {} : { maximum: limits.max }),
    },
  }
}

export function flag(): Shape<boolean> {
  return { schema: { type: 'boolean' } }
}

export function list<T>(item: Shape<T>, limits: { max?: number } = {}): Shape<readonly T[]> {
  return {
    schema: { type: 'array', items: item.schema, ...(limits.max === undefined ? {} : { maxItems: limits.max }) },
  }
}

/** Any JSON value. */
export function anything(): Shape<unknown> {
  return { schema: {} }
}

export function record<T>(value: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return { schema: { type: 'object', additionalProperties: value.schema } }
}

export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return { ...shape, optional: true }
}

/** A closed object: the write side refuses fields that it does not name. */
export function object<const F extends Fields>(fields: F): Shape<ObjectOf<F>> {
  const required = Object.keys(fields).filter((name) => fields[name]?.optional !== true)
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, shape.schema])),
      required,
      additionalProperties: false,
    },
  }
}
