/**
 * Typed references for plans written in TypeScript: `input.order.id` is recorded as the expression `input.order.id` and
 * carries the type of its value. Nothing is evaluated while the plan is written.
 */
declare const REFERENCED: unique symbol
const PATH = Symbol('path')

export type Ref<T> = { readonly [REFERENCED]: T } & (NonNullable<T> extends readonly (infer E)[]
  ? { readonly [index: number]: Ref<E> }
  : NonNullable<T> extends object
    ? { readonly [K in keyof NonNullable<T>]-?: Ref<NonNullable<T>[K]> }
    : unknown)

/** What may be written in place of a `T`: the value, a reference to one, or an object of these. */
export type Mapped<T> =
  | Ref<T>
  | (T extends string ? T : never)
  | (T extends readonly (infer E)[]
      ? readonly Mapped<E>[]
      : T extends object
        ? { readonly [K in keyof T]: Mapped<T[K]> }
        : T)

/** The type of an evaluated mapping. */
export type Resolved<M> = M extends { readonly [REFERENCED]: infer T }
  ? T
  : M extends readonly (infer E)[]
    ? readonly Resolved<E>[]
    : M extends object
      ? { readonly [K in keyof M]: Resolved<M[K]> }
      : M

/** A reference to any JMESPath expression, typed by the author: `expression<number>('length(input.items)')`. */
export function expression<T>(jmespath: string): Ref<T> {
  const target = { [PATH]: jmespath }
  return new Proxy(target, {
    get: (_, key) => (key === PATH ? jmespath : typeof key === 'string' ? expression(step(jmespath, key)) : undefined),
  }) as unknown as Ref<T>
}

function step(path: string, key: string): string {
  if (/^\d+$/.test(key)) return `${path}[${key}]`
  return `${path}.${/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : JSON.stringify(key)}`
}

/** Text with references in it: text`Release order ${input.orderId}`. A literal `${` is escaped. */
export function text(literals: TemplateStringsArray, ...references: readonly Ref<unknown>[]): string {
  return literals
    .map((literal, index) => {
      const reference = references[index]
      return literal.replaceAll('${', () => '$${') + (reference === undefined ? '' : `\${${pathOf(reference) ?? ''}}`)
    })
    .join('')
}

export function pathOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !(PATH in value)) return undefined
  return String(value[PATH])
}
