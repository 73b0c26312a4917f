/**
 * Which task queue takes what (TMP-11, TMP-13): a queue per tenant by default, or queues by class of work. A queue that the
 * plan names for a step wins over both.
 */
import type { CheckedSettings } from './settings.ts'

export interface QueueScope {
  readonly tenantId: string
  readonly environmentId: string
}

type Queues = Pick<CheckedSettings, 'taskQueue' | 'routing'>

/** Where a run's workflow and its wake-ups go. */
export function runQueue({ taskQueue, routing }: Queues, { tenantId, environmentId }: QueueScope): string {
  if (routing === 'class') return `tq-control-${environmentId}`
  return tenantId === '' ? taskQueue : `${taskQueue}-${tenantId}`
}

/** Undefined: the run's own queue. */
export function stepQueue(
  { routing }: Queues,
  { tenantId, environmentId }: QueueScope,
  step: { readonly actionKind: string; readonly isolated: boolean; readonly taskQueue?: string },
): string | undefined {
  if (step.taskQueue !== undefined) return step.taskQueue
  if (routing !== 'class') return undefined
  if (/dbt/i.test(step.actionKind)) return `tq-data-${environmentId}`
  return step.isolated ? `tq-isolation-${tenantId}-${environmentId}` : undefined
}

/** Every queue a worker of these scopes listens to; those that plans name are given by whoever starts it. */
export function workerQueues(
  queues: Queues,
  scopes: readonly QueueScope[],
  named: readonly string[],
): readonly string[] {
  const own = scopes.flatMap((scope) => {
    const classes = queues.routing === 'class' ? ['dbt', 'function'] : []
    const steps = classes.map((actionKind) => stepQueue(queues, scope, { actionKind, isolated: actionKind !== 'dbt' }))
    return [runQueue(queues, scope), ...steps.filter((one) => one !== undefined)]
  })
  return [...new Set([...own, ...named])]
}
