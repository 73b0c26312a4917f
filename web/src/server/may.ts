/** Whether the person may do something, so that a button can say why not before the server does. */
import { GRANTS, ROLES, type Action, type Role } from '../../../src/core/authority/actions.ts'
import type { SignalType } from '../../../src/core/run/signals/catalogue.ts'
import { sufficientRole } from '../../../src/core/run/signals/roles.ts'
import { me } from './session.ts'
import { useWatched } from './watched.ts'

/** Why they may not, and which role would do; undefined: they may. */
export function useWhyNot(action: Action): string | undefined {
  const who = useWatched(me)
  if (who === undefined || who === null || who.actions.includes(action)) return undefined
  return refusal(
    who.roles,
    action,
    ROLES.filter((role) => GRANTS[role].includes(action)),
  )
}

/** The same for what needs the role of a signal. */
export function useWhyNotSend(signal: SignalType): string | undefined {
  const who = useWatched(me)
  if (who === undefined || who === null || sufficientRole(signal, who.roles) !== undefined) return undefined
  return refusal(
    who.roles,
    signal,
    ROLES.filter((role) => sufficientRole(signal, [role]) !== undefined),
  )
}

function refusal(own: readonly string[], what: string, sufficient: readonly Role[]): string {
  const [last = '', ...others] = sufficient.toReversed()
  const names = others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`
  const yours = `${own.length === 1 ? 'role' : 'roles'} ${own.join(', ')}`
  return `Your ${yours} may not do this (${what}). The role ${names} may.`
}
