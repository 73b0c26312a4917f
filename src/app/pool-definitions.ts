/**
 * The pools that a deployment declares when it opens Keelson. Every count is looked at before anything is opened or written:
 * units are whole, and a capacity that is none would leave steps waiting for ever, or let all of them through.
 */
import { resourcePool } from '../core/plan/wants.ts'
import { KeelsonError, problem, type Problem } from '../core/problems/problem.ts'
import type { PoolDefinition } from '../ports/grants.ts'
import { agentDefinition } from './run-grants.ts'

export interface DeclaredPools {
  /** How many steps of an agent may be at work at once, over all runs of the store. Default 3 each. */
  readonly agents?: Readonly<Record<string, number>>
  /** What steps may claim by name: units there are, or units per window of time. */
  readonly resources?: Readonly<Record<string, number | { readonly units: number; readonly perMs: number }>>
}

export function poolDefinitions({ agents = {}, resources = {} }: DeclaredPools): readonly PoolDefinition[] {
  const problems: Problem[] = []
  const pools: PoolDefinition[] = []
  for (const [id, capacity] of Object.entries(agents)) {
    problems.push(...wrongCount(`agents.${id}`, capacity, 0))
    pools.push(agentDefinition(id, capacity))
  }
  for (const [name, size] of Object.entries(resources)) {
    const pool = resourcePool(name)
    const field = `resources.${name}`
    if (typeof size === 'object' && size !== null) {
      problems.push(...wrongCount(`${field}.units`, size.units, 0), ...wrongCount(`${field}.perMs`, size.perMs, 1))
      pools.push({ pool, capacity: size.units, windowMs: size.perMs })
    } else {
      problems.push(...wrongCount(field, size, 0))
      pools.push({ pool, capacity: size })
    }
  }
  const [first, ...rest] = problems
  if (first !== undefined) throw new KeelsonError([first, ...rest])
  return pools
}

/** What comes from plain JavaScript may be anything. */
function wrongCount(field: string, value: unknown, least: number): readonly Problem[] {
  if (Number.isSafeInteger(value) && (value as number) >= least) return []
  const given = typeof value === 'number' ? String(value) : JSON.stringify(value)
  return [problem('CAPACITY_INVALID', `${field} must be a whole number, ${least} or more, and is ${given}`)]
}
