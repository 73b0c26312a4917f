/** The few words beside a step that say more than its state: how many items, which attempt, what it waits for, who did it. */
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import type { Cause } from '../../../src/core/run/explain/explain.ts'
import { msFromIso } from '../../../src/core/time.ts'
import type { RunSnapshot, StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { waitKind } from '../shown/wait-kind.ts'
import { duration, shortTime, timeOfDay } from '../shown/words.ts'

export function chipOf(step: StepSnapshot, asOf: number): string {
  const { items, attempts, retryAt, error, status } = step
  if (items !== undefined)
    return `${items.done} of ${items.total}${items.failed === 0 ? '' : `, ${items.failed} failed`}`
  if (retryAt !== undefined) return `again ${shortTime(msFromIso(retryAt) ?? 0, asOf)}`
  if (status === 'FAILED' && error !== undefined) return error.code
  const began = msFromIso(attempts[0]?.startedAt ?? '')
  if (began === undefined) return step.reasonCode ?? ''
  const ended = msFromIso(step.completedAt ?? '') ?? asOf
  const tries = attempts.length > 1 ? `${attempts.length} attempts, ` : ''
  return `${tries}${duration(ended - began)}`
}

export interface Around {
  readonly graph: PlanGraph
  readonly status: RunSnapshot['status']
  /** By name. */
  readonly steps: ReadonlyMap<string, StepSnapshot>
  /** Who completed a step, at the moment. */
  readonly doneBy: (stepId: string) => string | undefined
  /** What holds a step, at the moment. */
  readonly whyOf?: ((stepId: string) => readonly Cause[] | undefined) | undefined
}

/** The same for a node of the graph, which also says what a step that has not begun is waiting for, and which person ended it. */
export function nodeChip(step: StepSnapshot, asOf: number, around: Around): string {
  const who = around.doneBy(step.stepId)
  if (who !== undefined) return `${timeOfDay(msFromIso(step.completedAt ?? '') ?? asOf, asOf)} by ${who}`
  if (step.recovered === true) return 'by its fallback'
  if (step.status === 'PENDING' && step.reasonCode === undefined)
    return ENDED.has(around.status) ? 'not reached' : waitOf(step, around)
  if (step.status === 'RUNNING' && step.items === undefined) {
    if (step.waitingForManualCompletion === true) return 'waits for a person'
    const wait = waitKind(around.graph, step.stepId) === 'time' ? around.whyOf?.(step.stepId) : undefined
    for (const cause of wait ?? []) {
      if (cause.kind === 'waiting-until') return `until ${shortTime(cause.at, asOf)}`
      if (cause.kind === 'waiting-for-event') return `waits: ${cause.name}`
    }
  }
  return chipOf(step, asOf)
}

const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED'])

/** Empty while steps before it are open: the edges say that. */
function waitOf({ stepId }: StepSnapshot, { graph, status, steps }: Around): string {
  const index = graph.indexOf.get(stepId) ?? -1
  const isReady = (graph.dependencies[index] ?? []).every((before) => isSettled(steps.get(graph.stepIds[before] ?? '')))
  if (!isReady) return ''
  if (status === 'PAUSED') return 'waits: the pause'
  if (status !== 'RUNNING') return ''
  const pools = Object.keys(graph.wants[index]?.step ?? {}).map((pool) => pool.replace(/^\w+:/, ''))
  return `waits: ${pools.length === 0 ? 'a place' : pools.join(', ')}`
}

function isSettled(step: StepSnapshot | undefined): boolean {
  return step !== undefined && step.retryAt === undefined && step.status !== 'PENDING' && step.status !== 'RUNNING'
}
