/**
 * The HTTP status that a thrown error carries, wherever its library puts it. The value is a stranger's: getters may throw,
 * and then nothing is known.
 */
type Read = (value: unknown, key: string) => unknown

/** Own fields first: `statusCode` (ours, got), `status` (fetch wrappers, axios), then the answer they keep, then AWS clients. */
const PLACES: readonly (readonly string[])[] = [
  ['statusCode'],
  ['status'],
  ['response', 'status'],
  ['response', 'statusCode'],
  ['$metadata', 'httpStatusCode'],
]

export function errorStatus(thrown: unknown): number | undefined {
  for (const path of PLACES) {
    const found = path.reduce<unknown>(readField, thrown)
    if (isStatus(found)) return found
  }
  return undefined
}

/** A getter or a proxy of the thrown value may itself throw; then the fact is simply not known. */
export const readField: Read = (value, key) => {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined
  try {
    return Reflect.get(value, key)
  } catch {
    return undefined
  }
}

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599
}
