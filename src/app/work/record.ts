/** What a row of work holds as JSON: what a worker is given, and what it reported. */
import type { ArtifactRef } from '../../core/events/event.ts'
import type { StepClaim } from '../../ports/run-store.ts'

/** Enough to call the function of the step anywhere. Secrets are not in it: they are never stored. */
export interface WorkBody {
  readonly runId: string
  readonly planId: string
  readonly planVersion: string
  readonly stepId: string
  readonly itemIndex?: number
  readonly input: unknown
  readonly idempotencyKey: string
  readonly effect: string
  readonly timeoutMs: number
}

/** An error as a worker tells it: the facts that an error of a function here would have. */
export interface ReportedError {
  readonly message: string
  readonly code?: string
  readonly name?: string
  readonly status?: number
  readonly stack?: string
}

export interface WorkReport {
  readonly outcome: 'completed' | 'failed'
  readonly output?: unknown
  readonly error?: ReportedError
  readonly artifacts?: readonly ArtifactRef[]
}

/** As a worker sends it; the lines are kept as an artifact, and of the report remains the pointer. */
export interface GivenReport extends WorkReport {
  readonly log?: readonly string[]
}

export function bodyOf({ body }: { readonly body: string }): WorkBody {
  return JSON.parse(body) as WorkBody
}

export function reportOf({ report = '{}' }: { readonly report?: string }): WorkReport {
  return JSON.parse(report) as WorkReport
}

/** As if a function of this process had thrown it: the same rules decide whether it is tried again. */
export function thrownBy({ error }: WorkReport): Error {
  const { message = 'the worker reported a failure without a message', stack = '', ...rest } = error ?? {}
  return Object.assign(new Error(message), { stack, ...rest })
}

const CLAIMANT = 'work:'

/** In the begin-claim of an irreversible attempt (P-28): a worker began it, under the claim of this hash. */
export function workerClaimant(sha256: string): string {
  return `${CLAIMANT}${sha256.slice(0, 16)}`
}

/** The death of a driver leaves no doubt about such an attempt: its row of work tells who has it, and until when. */
export function isWorkers({ claimant }: Pick<StepClaim, 'claimant'>): boolean {
  return claimant.startsWith(CLAIMANT)
}
