/**
 * Takes a JavaScript value as a plan document: only values that JSON has, copied, so that the rules are the same as for
 * text and later changes of the author's object have no effect.
 */
import { problem, type Problem } from '../../problems/problem.ts'
import { okUnless, type Result } from '../../result.ts'
import type { Json } from '../plan.ts'
import { PLAN_LIMITS } from '../plan-limits.ts'
import { child, pointerOf, type Place } from './reading.ts'
import { keyProblem, valueProblem } from './scalar-rules.ts'

interface Copying {
  readonly problems: Problem[]
  /** Shared parts are copied at each occurrence, so their number is bounded. */
  values: number
}

export function documentValue(document: unknown): Result<Json> {
  const copying: Copying = { problems: [], values: 0 }
  const value = copy(document, undefined, 0, copying)
  return okUnless(copying.problems, value)
}

function copy(value: unknown, place: Place | undefined, depth: number, copying: Copying): Json {
  copying.values += 1
  if (copying.values > PLAN_LIMITS.documentValues) {
    return stop(copying, place, problem('PLAN_TOO_LARGE', `a plan may hold ${PLAN_LIMITS.documentValues} values`))
  }
  if (depth > PLAN_LIMITS.depth) {
    return stop(copying, place, problem('PLAN_TOO_DEEP', `this is nested more than ${PLAN_LIMITS.depth} levels deep`))
  }
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number' || typeof value === 'string') {
    const refusal = valueProblem(value)
    return refusal === undefined ? value : stop(copying, place, refusal)
  }
  if (Array.isArray(value)) {
    return value.map((entry: unknown, index) => copy(entry, child(place, index), depth + 1, copying))
  }
  if (isPlainObject(value)) return copyObject(value, place, depth, copying)
  const what = typeof value === 'object' ? 'an object of a class' : `a value of type ${typeof value}`
  return stop(copying, place, problem('PLAN_VALUE_UNSUPPORTED', `a plan cannot hold ${what}`))
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function copyObject(
  value: Readonly<Record<string, unknown>>,
  place: Place | undefined,
  depth: number,
  copying: Copying,
): Json {
  const copied: Record<string, Json> = {}
  for (const [key, entry] of Object.entries(value)) {
    if (entry === undefined) continue
    const refusal = keyProblem(key)
    if (refusal === undefined) copied[key] = copy(entry, child(place, key), depth + 1, copying)
    else stop(copying, child(place, key), refusal)
  }
  return copied
}

function stop({ problems }: Copying, place: Place | undefined, found: Problem): null {
  if (problems.length < PLAN_LIMITS.problems) problems.push({ ...found, pointer: pointerOf(place) })
  return null
}
