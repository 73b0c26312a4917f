/** What runs a step's action: registered functions by name, requests, programs. */
import type { Action, ActionKind, Compensation, Fallback, Isolation } from '../core/plan/plan.ts'
import type { ArtifactRef } from '../core/events/event.ts'
import type { Problem } from '../core/problems/problem.ts'
import type { ArtifactAbout, ArtifactContent, StoredArtifact } from './artifacts.ts'
import type { ExecutionInfo, RunContext } from './run-context.ts'

/**
 * Values by the names under the step's `secrets`. They are not enumerable: they cannot be logged or sent by accident.
 */
export type StepSecrets = Readonly<Record<string, string>>

export interface StepArtifacts {
  /** Stores the bytes and adds the pointer to the step's result. */
  put(content: ArtifactContent, about: ArtifactAbout): Promise<StoredArtifact>
  /** The bytes, checked against the hash in the pointer. */
  get(ref: Pick<ArtifactRef, 'uri'>): Promise<Uint8Array>
  /** The same in pieces; rejects at the end when they do not match the hash. */
  read(ref: Pick<ArtifactRef, 'uri'>): AsyncIterable<Uint8Array>
}

export interface StepContext {
  /** Aborted on cancel, timeout and shutdown. */
  readonly signal: AbortSignal
  /** Constant over retries and crashes for an unchanged input: pass it to the target system. */
  readonly idempotencyKey: string
  readonly runId: string
  readonly stepId: string
  readonly itemIndex?: number
  readonly attempt: number
  readonly engineAttempt: number
  readonly planId: string
  readonly planVersion: string
  /** Adds a pointer to something large that the step wrote elsewhere. */
  readonly addArtifact: (artifact: ArtifactRef) => void
  readonly heartbeat: () => void
  readonly execution: ExecutionInfo
  readonly secrets: StepSecrets
  readonly artifacts: StepArtifacts
  /** The units that this attempt holds of things that span runs, by `agent:<id>` and `resource:<name>`. */
  readonly resources: Readonly<Record<string, number>>
  /** Variables and results of the run as this attempt's input saw them: a repeated attempt reads the same. */
  readonly context: () => Promise<RunContext>
}

/**
 * A function that `run:` in a plan calls. Without type arguments it is any of them; `StepFunction<In, Out>` types one.
 */
export type StepFunction<In = never, Out = unknown> = (input: In, context: StepContext) => Out | Promise<Out>

/** Functions by name; a group gives dotted names, so `{ stock: { reserve } }` is called by `run: stock.reserve`. */
export interface StepFunctions {
  readonly [name: string]: StepFunction | StepFunctions
}

/** Hides secrets. Code that cuts a text asks for the part, so that half a secret at the cut is hidden too. */
export interface TextMask {
  part(text: string, from: number, to: number): string
  /** How much text beyond a cut is needed to recognise a secret at it. */
  readonly reachChars: number
}

export interface ActionCall {
  /** With every `${…}` of its fields replaced. */
  readonly action: Action | Compensation | Fallback
  readonly kind: ActionKind
  readonly input: unknown
  readonly context: StepContext
  /**
   * Where a function runs, and so how it can be stopped; compensations and fallbacks follow their step. Default
   * `inline`.
   */
  readonly isolation?: Isolation
  /** Hides the run's secrets; absent where it was given none. */
  readonly mask?: TextMask
  /** For a locked run: no request goes anywhere else, redirects included. */
  readonly onlyHosts?: readonly string[]
}

export interface StepHandlers {
  /** Names this action needs that are not registered here; empty when it can run. */
  missing(action: Action | Compensation | Fallback): readonly string[]
  /** Why this process does not do such an action although it could, and how to change that; undefined when it does. */
  refusal?(action: Action | Compensation | Fallback): Problem | undefined
  /** Runs the action; resolves with its output or rejects with what it threw. */
  call(call: ActionCall): Promise<unknown>
  /** False when functions cannot be isolated: the file they come from is unknown. Default false. */
  readonly isolates?: boolean
  /** Names the code that produced an outcome. */
  readonly buildId?: string
}
