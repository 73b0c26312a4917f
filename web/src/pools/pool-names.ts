/** What a pool is called and which kind it is, from its name in the store. */
import { LIMITS } from '../../../src/core/limits.ts'
import { isLimitPool, isRatePool, limitOfPool } from '../../../src/core/plan/compile/limit-pools.ts'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listResources } from '../../../src/core/api/limits.ts'
import { duration } from '../shown/words.ts'

export type Pool = AnswerOf<typeof listResources>['resources'][number]

export const POOL_KINDS = ['limit', 'agent', 'resource', 'quota', 'breaker', 'pool'] as const
export type PoolKind = (typeof POOL_KINDS)[number]

export const KIND_WORDS: Readonly<Record<PoolKind, readonly [title: string, about: string]>> = {
  limit: ['Places for runs', 'What the limits for starts count: a run has its place from its start to its end.'],
  agent: ['Agents', 'How many steps of an agent may run at once.'],
  resource: ['Resources', 'Units that steps take when they start and give back when they end.'],
  quota: ['Quotas', 'Units that steps take, and that only time gives back.'],
  breaker: ['Breakers', 'An agent that failed too often in a row rests; then one attempt at a time is let through.'],
  pool: ['Others', 'Pools of a kind that this page does not know.'],
}

export function poolKind({ pool, windowMs }: Pick<Pool, 'pool' | 'windowMs'>): PoolKind {
  if (isLimitPool(pool)) return 'limit'
  const kind = pool.slice(0, Math.max(0, pool.indexOf(':')))
  if (kind === 'resource') return windowMs === undefined ? 'resource' : 'quota'
  return kind === 'agent' || kind === 'breaker' ? kind : 'pool'
}

const KEY_CHARS = 8

/** Of a limit its own name, with the beginning of the hash of a key's value: the value itself is kept nowhere. */
export function poolName({ pool }: Pick<Pool, 'pool'>): string {
  const limit = limitOfPool(pool)
  if (limit === undefined) return pool.slice(pool.indexOf(':') + 1)
  const value = /\/([0-9a-f]{32})(?:\/rate)?@/.exec(pool)?.[1]
  return `${limit}${value === undefined ? '' : `, value ${value.slice(0, KEY_CHARS)}`}${isRatePool(pool) ? ', a minute' : ''}`
}

/** A limit that was taken away leaves its pool behind, and a breaker counts no units: both have more room than anything can take. */
export const isEndless = ({ capacity }: Pool): boolean => capacity > LIMITS.limitUnits

export function inUse(pool: Pool): string {
  const { capacity, used, waiting, windowMs } = pool
  const of = isEndless(pool) ? '' : ` of ${capacity.toLocaleString('en')}`
  const what = windowMs === undefined ? 'in use' : `taken in this window of ${duration(windowMs)}`
  return `${used.toLocaleString('en')}${of} ${what}${waiting === 0 ? '' : `, ${waiting.toLocaleString('en')} in line`}`
}

/** An agent whose breaker is closed is not held up by it: who stands in its line waits for something else. */
export const isAtRest = (pool: Pool): boolean => poolKind(pool) === 'breaker' && pool.openUntil === undefined
