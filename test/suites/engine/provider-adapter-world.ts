/** The world that a case for an engine's adapter gets: the adapter, a plan store, people, and plans to start. */
import assert from 'node:assert/strict'
import type { EngineRunRef } from '../../../src/core/engine/run-ref.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import type { PlanRef } from '../../../src/core/plan/compile/plan-ref.ts'
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import type { AuditEntry } from '../../../src/ports/audit.ts'
import type {
  ActorContext,
  EngineRunContext,
  EngineSignal,
  ProviderAdapter,
} from '../../../src/ports/provider-adapter.ts'
import type { RunStatus } from '../../../src/ports/run-store.ts'
import type { EngineStage } from './engine-stage.ts'

export interface AdapterWorld {
  readonly adapter: ProviderAdapter
  /** Stores a plan written as YAML; answers what startRun takes for it. */
  publish(yaml: string): Promise<PlanRef>
  /** Stores the plan behind a reference once more, changed, under the hash of its new bytes. */
  publishChanged(ref: PlanRef, change: (plan: ChangeablePlan) => void): Promise<PlanRef>
  records(runId: string): Promise<readonly LogRecord[]>
  /** Resolves once the run has ended. */
  ended(runId: string): Promise<RunStatus>
  /** Resolves once the log has an event of this type, and of this step where one is named. */
  logged(runId: string, eventType: string, stepId?: string): Promise<void>
  /** What has been refused so far without a trace in a log. */
  audited(): Promise<readonly AuditEntry[]>
  uuid(): string
  readonly stage: EngineStage
}

export interface ChangeablePlan {
  readonly steps: Record<string, unknown>[]
}

export interface AdapterCase {
  readonly title: string
  readonly run: (world: AdapterWorld) => Promise<void>
}

export const TENANT = 'local'
export const ACTOR: ActorContext = { userId: 'ada', roles: ['Admin'], tenantId: TENANT, sourceIp: '192.0.2.7' }
export const STRANGER: ActorContext = { userId: 'mallory', roles: ['Admin'], tenantId: 'other', sourceIp: '192.0.2.66' }

export const ONE = '{ plan: one, version: 1.0.0, steps: [{ id: a, run: echo, with: { n: 1 } }] }'
const HELD =
  '{ plan: held, version: 1.0.0, steps: [{ id: a, run: held }, { id: b, run: echo, with: {}, dependsOn: [a] }] }'

export function contextOf({ adapter, uuid }: AdapterWorld, change: Partial<EngineRunContext> = {}): EngineRunContext {
  const ids = { tenantId: TENANT, projectId: 'default', environmentId: 'local', runId: uuid() }
  return { ...ids, targetAdapter: adapter.provider, ...change }
}

export async function start(world: AdapterWorld, yaml: string): Promise<EngineRunRef> {
  return world.adapter.startRun(await world.publish(yaml), contextOf(world), ACTOR)
}

/** With its only step at work. */
export async function startHeld(world: AdapterWorld): Promise<EngineRunRef> {
  const ref = await start(world, HELD)
  await world.stage.atWork(ref.runId, 'a')
  return ref
}

export async function refusal(call: Promise<unknown>): Promise<KeelsonError> {
  const thrown = await call.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  )
  if (thrown instanceof KeelsonError) return thrown
  throw thrown
}

export async function refusedWith(code: string, call: Promise<unknown>): Promise<KeelsonError> {
  const error = await refusal(call)
  assert.equal(error.code, code, error.message)
  return error
}

export async function ofType(world: AdapterWorld, ref: EngineRunRef, eventType: string): Promise<readonly LogRecord[]> {
  return (await world.records(ref.runId)).filter((record) => record.eventType === eventType)
}

export const signalOf = (
  { uuid }: AdapterWorld,
  signalType: string,
  payload: EngineSignal['payload'] = {},
): EngineSignal => ({
  signalId: uuid(),
  signalType,
  payload,
})
