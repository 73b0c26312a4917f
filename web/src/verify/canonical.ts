/** The canonical text (RFC 8785) of what was read from JSON: what a hash is made of. */

type Json = Readonly<Record<string, unknown>>

/** Throws for half a character, which has no canonical form. */
export function canonicalOf(value: unknown): string {
  if (typeof value === 'string' && !value.isWellFormed()) throw new Error('a text holds half a character')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalOf).join(',')}]`
  // The default order of texts is the one of RFC 8785: by UTF-16 code unit.
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${canonicalOf(name)}:${canonicalOf((value as Json)[name])}`).join(',')}}`
}
