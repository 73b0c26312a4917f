/** Which project a foreign document comes from, by its shape alone. */
import { isList, isObject } from '../format/kind.ts'
import type { Json } from '../plan.ts'

export const ORIGINS = ['orchestr8', 'dvt', 'portarium'] as const
export type Origin = (typeof ORIGINS)[number]

/** `plan`: it is one of ours already. Undefined: it could be anything. */
export function originOf(value: Json): Origin | 'plan' | undefined {
  if (!isObject(value)) return undefined
  if (value.workflowId !== undefined || value.actions !== undefined || value.packId !== undefined) return 'portarium'
  const steps = isList(value.steps) ? value.steps.filter(isObject) : []
  const metadata = isObject(value.metadata) ? value.metadata : {}
  const has = (...fields: readonly string[]): boolean =>
    steps.some((step) => fields.some((field) => step[field] !== undefined))
  if (value.plan !== undefined || has(...ACTIONS)) return 'plan'
  if (has('agentId', 'agent') || metadata.id !== undefined) return 'orchestr8'
  if (metadata.planId !== undefined || has('stepId')) return 'dvt'
  return value.id !== undefined && has('id') ? 'orchestr8' : undefined
}

const ACTIONS = ['run', 'http', 'command', 'wait', 'manual', 'plan', 'dbt']
