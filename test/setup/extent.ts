/**
 * How much the long tests explore. By default a part; `KEELSON_TESTS=full` all of it, as before a release and every night.
 */
const asked = process.env['KEELSON_TESTS'] ?? ''
if (asked !== '' && asked !== 'full') throw new Error(`KEELSON_TESTS=${asked} is not known: full, or nothing`)

export const isFull = asked === 'full'

/** The whole only where all is asked for. */
export function extent<T>(part: T, whole: T): T {
  return isFull ? whole : part
}
