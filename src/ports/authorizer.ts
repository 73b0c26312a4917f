/**
 * Who may do what. The default is the table of roles; a program may bring its own, which is asked for every request and every
 * signal. What it does not allow is denied.
 */
import type { Action } from '../core/authority/actions.ts'

export interface AuthorizationRequest {
  readonly actor: { readonly userId: string; readonly roles: readonly string[] }
  readonly tenantId: string
  readonly action: Action
  /** The run, plan, task or key that it is about. */
  readonly resource?: string
  /** Ties the question to the request that caused it. */
  readonly correlationId?: string
  /** Of `SIGNAL_SEND`: the signal itself, after its payload was checked. */
  readonly signal?: { readonly type: string; readonly payload: Readonly<Record<string, unknown>> }
}

export interface AuthorizationVerdict {
  readonly allowed: boolean
  readonly reason?: string
  /** Allowed, but only once a second person has accepted it (AUT-04). */
  readonly requiresApproval?: boolean
  /** UUID v4 (AUT-08). */
  readonly policyDecisionId: string
}

export interface Authorizer {
  evaluate(request: AuthorizationRequest): Promise<AuthorizationVerdict> | AuthorizationVerdict
}
