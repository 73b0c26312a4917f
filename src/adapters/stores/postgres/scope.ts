/** The tenant of a call: a store has no default one (STO-24). */
import { fail } from '../../../core/problems/problem.ts'

export function requireTenant(tenantId: string | undefined): string {
  if (typeof tenantId === 'string' && tenantId !== '') return tenantId
  return fail('STORE_SCOPE_MISSING', 'The store was called without a tenant.')
}
