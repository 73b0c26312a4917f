/** One check of `keelson doctor`: the fact, whether it is good, and what to do if not. */
import { REGISTRY } from '../../../core/problems/registry.ts'

export type Health = 'well' | 'warning' | 'bad'

export interface Finding {
  readonly name: string
  readonly health: Health
  readonly says: string
  readonly todo?: string
}

/** The rules that protect the log from changes are in the database itself: its owner can remove them. */
export function guardFinding(faults: readonly string[]): Finding {
  const [first, ...others] = faults
  const name = 'append-only'
  if (first === undefined) return { name, health: 'well', says: 'the rules that guard the log are in place' }
  const says = `${first}${others.length === 0 ? '' : ` (and ${others.length} more)`}`
  return { name, health: 'bad', says, todo: REGISTRY.STORE_ALTERED.todo }
}
