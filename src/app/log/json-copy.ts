/**
 * A separate value for code that may change it: step functions and listeners get copies, because others read the same
 * values.
 */

/** Deeper values are left to the platform, which does not recurse. */
const OWN_DEPTH = 100

/** For plain JSON only. */
export function jsonCopy<T>(value: T, depth = 0): T {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= OWN_DEPTH) return structuredClone(value)
  if (Array.isArray(value)) return value.map((one: unknown) => jsonCopy(one, depth + 1)) as T
  const copy: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    // A plain assignment to this name would set the prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: jsonCopy(inner, depth + 1), ...PLAIN })
    else copy[name] = jsonCopy(inner, depth + 1)
  }
  return copy as T
}

const PLAIN = { writable: true, enumerable: true, configurable: true } as const
