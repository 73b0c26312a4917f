/** The hint of a refusal that names what was probably meant, if a known name is near. */
import { closest, distance } from 'fastest-levenshtein'

const SEARCHED_NAMES = 2_000

/** The known name that was probably meant, if one is close enough. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || known.length > SEARCHED_NAMES || name.length > 64) return undefined
  const swapped = known.find((one) => isSwapped(name, one))
  if (swapped !== undefined) return swapped
  const candidate = closest(name, known)
  const tolerated = Math.max(1, Math.floor(Math.max(name.length, candidate.length) * 0.45))
  return distance(name.toLowerCase(), candidate.toLowerCase()) <= tolerated ? candidate : undefined
}

/** Two neighbours were typed in the wrong order: no other mistake is as likely in a short name. */
function isSwapped(name: string, known: string): boolean {
  if (name.length !== known.length) return false
  const at = [...name].findIndex((one, index) => one !== known[index])
  return at >= 0 && `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}` === known
}

export function didYouMean(name: string, known: readonly string[]): { readonly hint?: string } {
  const meant = nearest(name, known)
  return meant === undefined ? {} : { hint: `did you mean '${meant}'?` }
}
