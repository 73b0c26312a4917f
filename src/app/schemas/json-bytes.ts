/**
 * How many bytes a value takes as JSON, counted without writing it and only up to a limit: a value with shared parts
 * can be astronomically large as text while it is small in memory.
 */

/** Undefined when the value is larger than `limit` or is not JSON (a function, NaN, half a character). */
export function jsonBytes(value: unknown, limit: number): number | undefined {
  let bytes = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    const own = ownBytes(next, open)
    if (own === undefined) return undefined
    bytes += own
    if (bytes > limit) return undefined
  }
  return bytes
}

function ownBytes(value: unknown, open: unknown[]): number | undefined {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? textBytes(value) : undefined
    case 'number':
      return Number.isFinite(value) ? String(value).length : undefined
    case 'boolean':
      return value ? 4 : 5
    case 'object':
      return value === null ? 4 : containerBytes(value, open)
    default:
      return undefined
  }
}

function containerBytes(value: object, open: unknown[]): number {
  if (Array.isArray(value)) {
    for (const element of value) open.push(element)
    return 2 + Math.max(0, value.length - 1)
  }
  let bytes = 2
  let count = 0
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    open.push(member)
    bytes += textBytes(name) + 1
    count += 1
  }
  return bytes + Math.max(0, count - 1)
}

function textBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text))
}
