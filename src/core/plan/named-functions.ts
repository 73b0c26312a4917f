/** The functions a module gives, by the names plans call them: its named exports and its default export; nested objects give dotted names. */
export type AnyFunction = (...args: never) => unknown

export function namedFunctions(exported: Readonly<Record<string, unknown>>): Readonly<Record<string, AnyFunction>> {
  const { default: main, ...named } = exported
  const found: Record<string, AnyFunction> = {}
  collect(named, '', found)
  if (typeof main === 'object' && main !== null) collect(main, '', found)
  return found
}

function collect(source: object, prefix: string, into: Record<string, AnyFunction>): void {
  for (const [key, value] of Object.entries(source) as readonly (readonly [string, unknown])[]) {
    if (typeof value === 'function') into[prefix + key] = value as AnyFunction
    else if (isPlainObject(value)) collect(value, `${prefix}${key}.`, into)
  }
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
