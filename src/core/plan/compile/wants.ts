/**
 * What a step claims of things that span runs (P-18): one unit of its agent and the amounts of its resources. Steps
 * that only wait hold none, nor do plan steps, whose child claims for itself. A fallback is another action: it needs
 * the resources, but a failing agent must not prevent it.
 */
import { actionKind, type Step } from '../plan.ts'

/** Amounts by pool name, ordered by name. */
export type Units = Readonly<Record<string, number>>

export interface Wants {
  readonly step: Units
  readonly fallback: Units
}

/**
 * A scope loses its `@` here: after one, the name of a pool has its tenant. No other agent has a slash, so two agents never
 * share a pool.
 */
export function agentPool(agentId: string): string {
  return `agent:${withoutAt(agentId)}`
}

export function breakerPool(agentId: string): string {
  return `breaker:${withoutAt(agentId)}`
}

function withoutAt(agentId: string): string {
  return agentId.replace(/^@/, '')
}

export function resourcePool(name: string): string {
  return `resource:${name}`
}

const WORKING: ReadonlySet<string> = new Set(['run', 'http', 'command', 'dbt'])

export function stepWants(step: Step): Wants | undefined {
  if (!WORKING.has(actionKind(step))) return undefined
  const resources = Object.entries(step.resources ?? {}).map(([name, amount]): [string, number] => [
    resourcePool(name),
    amount,
  ])
  if (step.agent === undefined && resources.length === 0) return undefined
  const agent: [string, number][] = step.agent === undefined ? [] : [[agentPool(step.agent), 1]]
  return { step: inOrder([...agent, ...resources]), fallback: inOrder(resources) }
}

function inOrder(entries: readonly (readonly [string, number])[]): Units {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
