/** Whether the person may do something, so that a button can say why not before the server does. */
import type { Action } from '../../../src/core/authority/actions.ts'
import { me } from './session.ts'
import { useWatched } from './watched.ts'

/** Why they may not; undefined: they may. */
export function useWhyNot(action: Action): string | undefined {
  const who = useWatched(me)
  if (who === undefined || who === null || who.actions.includes(action)) return undefined
  return `Your ${who.roles.length === 1 ? 'role' : 'roles'} ${who.roles.join(', ')} may not do this (${action}).`
}
