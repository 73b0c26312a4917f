/** Which roles a caller may give to others: none that can do what the caller cannot. */
import { GRANTS, isGranted, roleOf, type Role } from '../../core/authority/actions.ts'
import { SIGNALS, type SignalType } from '../../core/run/signals/catalogue.ts'
import { sufficientRole } from '../../core/run/signals/roles.ts'
import { isName } from './api-key.ts'

/** In the spelling of the table; words that mean no role are left out, because they would grant nothing. */
export function knownRoles(words: readonly string[]): readonly Role[] {
  return [...new Set(words.map(roleOf).filter((role) => role !== undefined))]
}

/** Words of an issuer that are no roles here, as many as a session takes with it. */
export function specialtiesOf(words: readonly string[]): readonly string[] {
  const kept: string[] = []
  let bytes = 0
  for (const word of new Set(words)) {
    if (roleOf(word) !== undefined || !isName(word)) continue
    bytes += Buffer.byteLength(JSON.stringify(word))
    if (kept.length === SPECIALTIES || bytes > SPECIALTIES_BYTES) break
    kept.push(word)
  }
  return kept
}

const SPECIALTIES = 20
const SPECIALTIES_BYTES = 1_000

export function mayGive(own: readonly string[], role: Role): boolean {
  const signals = Object.keys(SIGNALS) as readonly SignalType[]
  return (
    GRANTS[role].every((action) => isGranted(action, own)) &&
    signals.every((one) => sufficientRole(one, [role]) === undefined || sufficientRole(one, own) !== undefined)
  )
}
