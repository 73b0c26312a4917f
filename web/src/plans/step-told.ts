/** A step of a plan in words: what it does, and under which conditions, limits and second chances. */
import {
  actionKind,
  itemsOf,
  type Action,
  type Compensation,
  type Fallback,
  type Plan,
  type RetryPolicy,
  type Step,
} from '../../../src/core/plan/plan.ts'
import { planName } from '../../../src/core/plan/compile/child-plans.ts'
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import type { DrawnAs } from '../graph/cell-look.ts'
import { duration, plural } from '../shown/words.ts'
import { look, type Look } from '../shown/states.ts'

/** `work`: what it is told by, in a monospace; `words` before it. */
export interface Doing {
  readonly words: string
  readonly work: string
}

export function doingOf(action: Action | Compensation | Fallback): Doing {
  if ('run' in action) return { words: 'calls', work: action.run }
  if ('http' in action) return { words: action.http.method, work: action.http.url }
  if ('command' in action) return { words: 'starts', work: action.command.argv.join(' ') }
  if ('manual' in action) return { words: 'asks a person:', work: action.manual.title }
  if ('plan' in action) return { words: 'runs the plan', work: planName(action.plan) }
  if ('dbt' in action) return { words: 'dbt', work: `${action.dbt.command} in ${action.dbt.project}` }
  const { wait } = action
  if ('forEvent' in wait) return { words: 'waits for the event', work: wait.forEvent }
  if ('until' in wait) return { words: 'waits until', work: wait.until }
  return { words: 'waits for', work: typeof wait.forMs === 'number' ? duration(wait.forMs) : wait.forMs }
}

export type Told = readonly [name: string, text: string]

/** What else is said of it, without what the plan says of all its steps. */
export function detailsOf(step: Step, { policy }: Plan): readonly Told[] {
  const told: readonly (readonly [string, string | undefined])[] = [
    ['after', step.dependsOn?.join(', ')],
    ['only if', step.if],
    ['unless', step.unless],
    ['for each of', step.forEach === undefined ? undefined : eachOf(step.forEach)],
    ['input', isEmpty(step.with) ? undefined : JSON.stringify(step.with)],
    ['tries', triesOf(step, policy.retry)],
    ['may take', step.timeoutMs === policy.timeoutMs ? undefined : `${duration(step.timeoutMs)} an attempt`],
    ['effect', step.effect === 'idempotent' ? undefined : EFFECTS[step.effect]],
    ['undone by', step.compensate === undefined ? undefined : said(step.compensate)],
    ['if it fails', instead(step)],
    ['holds', step.resources === undefined ? undefined : amounts(step.resources)],
    ['secrets', step.secrets === undefined ? undefined : Object.keys(step.secrets).join(', ')],
    ['done by', step.dispatch?.queue === undefined ? undefined : `remote workers of the queue ${step.dispatch.queue}`],
    ['priority', step.priority === 0 ? undefined : String(step.priority)],
    ['agent', step.agent],
    ['keeps', step.capture?.map(({ destination }) => destination).join(', ')],
  ]
  return told.filter((one): one is Told => one[1] !== undefined && one[1] !== '')
}

const EFFECTS: Readonly<Record<Step['effect'], string>> = {
  none: 'none',
  idempotent: 'safe to repeat',
  compensatable: 'can be undone',
  irreversible: 'cannot be undone',
}

function eachOf(forEach: NonNullable<Step['forEach']>): string {
  const limit = typeof forEach === 'string' ? '' : `, ${forEach.concurrency} at once`
  return `${itemsOf(forEach)}${limit}`
}

function triesOf({ retry }: Step, usual: RetryPolicy): string | undefined {
  if (JSON.stringify(retry) === JSON.stringify(usual)) return undefined
  const { maxAttempts, initialBackoffMs, maxBackoffMs } = retry
  if (maxAttempts === 1) return 'once'
  const often = maxAttempts === 'unlimited' ? 'without a limit' : `up to ${plural(maxAttempts, 'time')}`
  return `${often}, ${duration(initialBackoffMs)} to ${duration(maxBackoffMs)} between them`
}

function instead({ fallback, onFailure }: Step): string | undefined {
  if (fallback !== undefined) return said(fallback)
  return onFailure === 'continue' ? 'the run goes on without its output' : undefined
}

function said(action: Compensation | Fallback): string {
  const { words, work } = doingOf(action)
  return `${words} ${work}`
}

function amounts(resources: Readonly<Record<string, number>>): string {
  return Object.entries(resources)
    .map(([name, amount]) => `${amount} ${name}`)
    .join(', ')
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}

/** Where no run is shown: what kind of step it is. */
export function kindsOf(graph: PlanGraph): (stepId: string) => DrawnAs | undefined {
  return (stepId) => {
    const step = graph.steps[graph.indexOf.get(stepId) ?? -1]
    return step === undefined ? undefined : { look: kindLook(step) }
  }
}

export function kindLook(step: Step): Look {
  const kind = actionKind(step)
  if (kind === 'manual') return look('asks a person', 'person', 'human')
  if (kind === 'wait') return look('waits', 'ring', 'idle')
  return kind === 'plan' ? look('starts a run', 'play', 'idle') : look('does work', 'disc', 'idle')
}
