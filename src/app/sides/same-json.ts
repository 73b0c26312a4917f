/** Whether two texts are the same JSON; text that is not JSON equals nothing. */
import { canonicalText } from '../log/canonical.ts'

export function sameJson(one: string, other: string): boolean {
  try {
    return canonicalText(JSON.parse(one)) === canonicalText(JSON.parse(other))
  } catch {
    return false
  }
}
