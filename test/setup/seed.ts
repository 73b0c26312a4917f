/**
 * The seed of whatever is random in a test: the same every time, so that a red run means a change. `KEELSON_SEED` gives another, and
 * `KEELSON_TESTS=full` takes one by chance. Who uses it prints it.
 */
import { extent } from './extent.ts'

export const SEED = Number(process.env['KEELSON_SEED'] ?? extent(731_661_031, Date.now() % 1_000_000_000))
