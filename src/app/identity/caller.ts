/** Who asks over the network: a principal, how it was recognised, and its roles. Made in one place; the tenant comes from here alone. */
import { ACTIONS, isGranted, type Action } from '../../core/authority/actions.ts'
import type { Principal } from '../principal.ts'

export interface Caller extends Principal {
  readonly kind: 'user' | 'key' | 'system' | 'local'
  readonly roles: readonly string[]
  /** What the issuer calls this person beside roles of ours; it grants nothing, and rules of plans may ask for it. */
  readonly specialties?: readonly string[]
  readonly displayName?: string
  /** The session of a browser that it was recognised by; `endsAt` in epoch milliseconds. */
  readonly session?: { readonly id: string; readonly endsAt: number }
  /** When its key ends, in epoch milliseconds: a key that it makes does not outlive it. */
  readonly keyEndsAt?: number
  /** The address that the request came from. */
  readonly sourceIp?: string
}

/** Everything that the caller may do. */
export function actionsOf({ roles }: Pick<Caller, 'roles'>): readonly Action[] {
  return ACTIONS.filter((action) => isGranted(action, roles))
}
