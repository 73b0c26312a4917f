/**
 * The pools that a deployment declares when it opens Keelson. Every count is checked before anything is opened or
 * written: units are whole numbers, and an invalid capacity would let steps wait for ever, or let all of them through.
 */
import type { Duration } from '../../core/duration.ts'
import { readOptions, type WithTexts } from '../../core/option-durations.ts'
import { appendAll } from '../../core/collections/append-all.ts'
import { resourcePool } from '../../core/plan/compile/wants.ts'
import { KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import type { PoolDefinition } from '../../ports/grants.ts'
import { agentDefinition } from './agent-pools.ts'

/** The window in milliseconds, or as text: `per: '1m'`. */
export type UnitsPerTime = { readonly units: number } & (
  { readonly perMs: number; readonly per?: never } | { readonly per: Duration; readonly perMs?: never }
)

export interface DeclaredPools {
  /** How many steps of an agent may run at once, over all runs of the store. Default 3 each. */
  readonly agents?: Readonly<Record<string, number>>
  /** What steps may claim by name: a number of units, or units per window of time. */
  readonly resources?: Readonly<Record<string, number | UnitsPerTime>>
}

export function poolDefinitions({ agents = {}, resources = {} }: DeclaredPools): readonly PoolDefinition[] {
  const problems: Problem[] = []
  const pools: PoolDefinition[] = []
  for (const [id, capacity] of Object.entries(agents)) {
    appendAll(problems, wrongCount(`agents.${id}`, capacity, 0))
    pools.push(agentDefinition(id, capacity))
  }
  for (const [name, size] of Object.entries(resources)) {
    const pool = resourcePool(name)
    const field = `resources.${name}`
    if (typeof size === 'object' && size !== null) {
      const { units, perMs } = inMilliseconds(field, size)
      appendAll(problems, wrongCount(`${field}.units`, units, 0))
      appendAll(problems, wrongCount(`${field}.perMs`, perMs, 1))
      pools.push({ pool, capacity: units, windowMs: perMs })
    } else {
      appendAll(problems, wrongCount(field, size, 0))
      pools.push({ pool, capacity: size })
    }
  }
  const [first, ...rest] = problems
  if (first !== undefined) throw new KeelsonError([first, ...rest])
  return pools
}

function inMilliseconds(field: string, size: UnitsPerTime): { readonly units: number; readonly perMs: number } {
  if (size.per === undefined) return size
  const { units, perMs } = readOptions<{ units: number; perMs?: number }>(
    field,
    size as WithTexts<{ units: number; perMs?: number }>,
    {
      units: true,
      perMs: true,
    },
  )
  return { units, perMs: perMs ?? 0 }
}

/** Plain JavaScript may pass anything. */
function wrongCount(field: string, value: unknown, least: number): readonly Problem[] {
  if (Number.isSafeInteger(value) && (value as number) >= least) return []
  const given = typeof value === 'number' ? String(value) : JSON.stringify(value)
  return [problem('CAPACITY_INVALID', `${field} must be a whole number, ${least} or more, but it is ${given}`)]
}
