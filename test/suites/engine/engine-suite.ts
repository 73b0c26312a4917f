/**
 * What a run must come to on every engine, as cases for whoever builds one: a case starts runs, steers them and reads their
 * logs, and knows nothing of who drives them.
 */
import assert from 'node:assert/strict'
import type { LogRecord } from '../../../src/core/events/event.ts'
import type { RunSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import type { RunStatus } from '../../../src/ports/run-store.ts'
import type { EngineStage } from './engine-stage.ts'
import { stepAbout } from '../../../src/core/events/slot-of.ts'
import { stepSlotText } from '../../../src/core/events/slot.ts'

export interface EngineRun {
  readonly runId: string
  result(): Promise<{ readonly status: RunStatus; readonly output?: unknown; readonly error?: RunFailure | undefined }>
  records(): Promise<readonly LogRecord[]>
  snapshot(): Promise<RunSnapshot>
  /** Its child runs, and what became of undoing them. */
  related(): Promise<{
    readonly children: readonly { readonly runId: string; readonly undo?: { readonly result: string } }[]
  }>
  signal(signalType: string, payload?: Readonly<Record<string, unknown>>): Promise<unknown>
  tasks(): Promise<readonly { readonly token: string; readonly slot: string }[]>
  completeTask(completion: {
    readonly completionToken: string
    readonly outcome: 'Succeeded' | 'Failed' | 'Cancelled'
    readonly actorUserId: string
    readonly result?: unknown
  }): Promise<unknown>
}

interface RunFailure {
  readonly code: string
  readonly slot?: string
}

export interface EngineWorld {
  readonly stage: EngineStage
  /** `inMs`: not before so long from now. */
  start(yaml: string, input?: unknown, options?: { readonly inMs?: number }): Promise<EngineRun>
  fork(run: EngineRun): Promise<EngineRun>
  /** Sends an event to the steps that wait for it. */
  send(event: {
    readonly name: string
    readonly key?: string
    readonly data?: unknown
    readonly id?: string
  }): Promise<unknown>
  /** Stores a plan for `plan` steps of others. */
  publish(yaml: string): Promise<unknown>
  /** Resolves once the log has such an event, written as `eventsOf` writes it. */
  logged(run: EngineRun, event: string): Promise<void>
  /** The run that one started as its child, once it has. */
  childOf(run: EngineRun): Promise<EngineRun>
}

/** What the world must have besides the stage's functions. */
export const ENGINE_NEEDS = {
  resources: { press: 1 },
  secrets: { ref: 'secret://shop/token', value: 'kept-from-every-log' },
} as const

export interface EngineCase {
  readonly title: string
  readonly run: (world: EngineWorld) => Promise<void>
}

/** `StepStarted a#1`, `StepCompleted each[2]#1`, `RunCompleted`: in the order of the log. */
export async function eventsOf(run: EngineRun): Promise<readonly string[]> {
  return (await run.records()).map(eventText)
}

function eventText(record: LogRecord): string {
  const about = stepAbout(record)
  if (about === undefined) return record.eventType
  const { role, ...own } = about
  return `${record.eventType} ${stepSlotText(own)}${role === undefined ? '' : `.${role}`}#${record.logicalAttemptId}`
}

export async function endsAs(run: EngineRun, status: RunStatus): Promise<Awaited<ReturnType<EngineRun['result']>>> {
  const result = await run.result()
  assert.equal(result.status, status, JSON.stringify(result))
  return result
}

/** One event before another. */
export function inOrder(events: readonly string[], ...wanted: readonly string[]): void {
  const places = wanted.map((event) => events.indexOf(event))
  assert.ok(!places.includes(-1), `${wanted.join(', ')} in ${events.join(', ')}`)
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
    events.join(', '),
  )
}
