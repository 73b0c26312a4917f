/**
 * Which engine a run starts on, chosen before anything is started, from the deployment and the plan (ENG-02). Nothing
 * is guessed: `auto` does not exist, `any` in a plan is the deployment's choice, and a plan that names another engine
 * than the caller is refused, with the field that says so (ENG-12).
 */
import { problem, type Problem } from '../problems/problem.ts'
import { ok, refused, type Result } from '../result.ts'
import { MAX_IN_FLIGHT, type EngineType } from './engine-type.ts'
import type { PlanMetadata } from '../plan/plan.ts'

export interface Deployment {
  /** Where runs start when the plan names no engine. */
  readonly standard: EngineType
  /** All engines that this process has opened. */
  readonly open: readonly EngineType[]
  /** In production a simulated engine does not count. */
  readonly production: boolean
}

/** The target for a caller that leaves the choice to the deployment and the plan. */
export function targetFor(
  { targetAdapter }: Pick<PlanMetadata, 'targetAdapter'>,
  { standard }: Deployment,
): EngineType {
  return targetAdapter === 'any' ? standard : targetAdapter
}

/** The plan is meant for another engine than its run's target (ENG-12). */
export function otherTarget(
  asked: EngineType,
  { targetAdapter }: Pick<PlanMetadata, 'targetAdapter'>,
): Problem | undefined {
  if (targetAdapter === 'any' || targetAdapter === asked) return undefined
  const message = `the plan's metadata.targetAdapter is '${targetAdapter}', the run's '${asked}'`
  return problem('INVALID_TARGET_ADAPTER', message, {
    pointer: '/targetAdapter',
    details: { field: 'metadata.targetAdapter', plan: targetAdapter, context: asked },
  })
}

export function chooseAdapter(
  asked: string,
  metadata: Pick<PlanMetadata, 'targetAdapter'>,
  { open, production }: Deployment,
): Result<EngineType> {
  if (!isEngine(asked)) return refused(wrongTarget(asked))
  const other = otherTarget(asked, metadata)
  if (other !== undefined) return refused(other)
  if (asked === 'mock' && production)
    return refused(at('ENGINE_NOT_OPEN', `'mock' simulates time and is not available in production`))
  if (asked === 'conductor') return refused(at('ADAPTER_NOT_IMPLEMENTED', `there is no adapter for 'conductor' yet`))
  return open.includes(asked) ? ok(asked) : refused(at('ENGINE_NOT_OPEN', `this process has not opened '${asked}'`))
}

function wrongTarget(asked: string): Problem {
  const names = Object.keys(MAX_IN_FLIGHT).join(', ')
  return at('INVALID_TARGET_ADAPTER', `'${asked}' is no engine; targetAdapter must be one of ${names}`)
}

function at(code: Problem['code'], message: string): Problem {
  return problem(code, message, { pointer: '/targetAdapter' })
}

function isEngine(name: string): name is EngineType {
  return Object.hasOwn(MAX_IN_FLIGHT, name)
}
