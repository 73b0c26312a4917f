/** Whether the person may do something, so that a button can say why not before the server does. */
import { GRANTS, ROLES, type Action } from '../../../src/core/authority/actions.ts'
import { me } from './session.ts'
import { useWatched } from './watched.ts'

/** Why they may not, and which role would do; undefined: they may. */
export function useWhyNot(action: Action): string | undefined {
  const who = useWatched(me)
  if (who === undefined || who === null || who.actions.includes(action)) return undefined
  const [last = '', ...others] = ROLES.filter((role) => GRANTS[role].includes(action)).toReversed()
  const names = others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`
  const yours = `${who.roles.length === 1 ? 'role' : 'roles'} ${who.roles.join(', ')}`
  return `Your ${yours} may not do this (${action}). The role ${names} may.`
}
