/**
 * Which task queue takes what (TMP-11, TMP-13): a queue per tenant by default, or queues by class of work. A queue that the
 * plan names for a step wins over both.
 */
import { wakeQueue } from '../sandbox/wire.ts'
import type { CheckedSettings } from './settings.ts'

export interface QueueScope {
  readonly tenantId: string
  readonly environmentId: string
}

type Queues = Pick<CheckedSettings, 'taskQueue' | 'routing' | 'stepQueues'>

/** Where a run's workflow and its wake-ups go. */
export function runQueue({ taskQueue, routing }: Queues, { tenantId, environmentId }: QueueScope): string {
  if (routing === 'class') return `tq-control-${environmentId}`
  return tenantId === '' ? taskQueue : `${taskQueue}-${tenantId}`
}

/**
 * Does a queue that a plan names belong to another tenant or to the engine itself? Other names are free: they belong to whoever
 * runs a worker for them.
 */
export function isForeignQueue(queues: Queues, scope: QueueScope, queue: string): boolean {
  const { taskQueue, routing, stepQueues = [] } = queues
  if (stepQueues.includes(queue) || workerQueues(queues, [scope], []).includes(queue)) return false
  if (queue === taskQueue || queue.startsWith(`${taskQueue}-`) || queue === wakeQueue(runQueue(queues, scope)))
    return true
  return routing === 'class' && /^tq-(?:control|data|isolation)-/.test(queue)
}

/** Undefined: the run's own queue. A start refuses queues of others; an older run that names such a queue uses its own queue. */
export function stepQueue(
  queues: Queues,
  scope: QueueScope,
  step: { readonly actionKind: string; readonly isolated: boolean; readonly taskQueue?: string },
): string | undefined {
  const { tenantId, environmentId } = scope
  if (step.taskQueue !== undefined && !isForeignQueue(queues, scope, step.taskQueue)) return step.taskQueue
  if (queues.routing !== 'class') return undefined
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
