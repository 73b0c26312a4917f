/**
 * Where a plan lies (PLN-07): in the store, under its hash, and nowhere else. A place that says another hash than the reference
 * beside it is a contradiction, and is refused rather than left unread.
 */
import type { ProblemCode } from '../../problems/registry.ts'
import type { PlanReference } from '../plan.ts'

const STORED = /^plan:sha256:([0-9a-f]{64})$/

/** The hash that a place in the store is made of; undefined for any other place. */
export function hashOfUri(uri: string): string | undefined {
  return STORED.exec(uri)?.[1]
}

export function storedPlanUri(sha256: string): string {
  return `plan:sha256:${sha256}`
}

export interface UriFault {
  readonly code: Extract<ProblemCode, 'PLAN_URI_NOT_ALLOWED' | 'PLAN_INTEGRITY_VALIDATION_FAILED'>
  readonly message: string
}

/** Why the place of a pinned reference cannot stand; undefined when it can, or none is named. */
export function uriFault({ uri, sha256 }: Pick<PlanReference, 'uri' | 'sha256'>): UriFault | undefined {
  if (uri === undefined) return undefined
  const hash = hashOfUri(uri)
  if (hash === undefined)
    return {
      code: 'PLAN_URI_NOT_ALLOWED',
      message: `no plan may be fetched from '${uri}'; it may only lie in the store`,
    }
  if (hash === sha256) return undefined
  return {
    code: 'PLAN_INTEGRITY_VALIDATION_FAILED',
    message: `'uri' leads to the hash ${hash}, and 'sha256' says ${sha256 ?? 'none'}`,
  }
}
