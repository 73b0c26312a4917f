/**
 * What is collected while a plan document is read: every problem with its place, and every expression, template and
 * JSON Schema met on the way, so that the checks that need libraries see the same places without walking again.
 */
import { closest, distance } from 'fastest-levenshtein'
import { problem, type Position, type Problem, type ProblemExtras } from '../problems/problem.ts'
import type { Json } from './plan.ts'
import { PLAN_LIMITS } from './plan-limits.ts'
import { pointerSegment } from './source.ts'

/** A path into the document as a list from its end; the root is `undefined`. */
export interface Place {
  readonly parent: Place | undefined
  readonly key: string | number
}

export type SiteRole = 'template' | 'expression' | 'transform' | 'schema'

export interface Site {
  readonly role: SiteRole
  readonly place: Place
  readonly value: Json
}

export interface Codes {
  readonly unknown: Problem['code']
  readonly missing: Problem['code']
  readonly invalid: Problem['code']
}

export interface Reading {
  readonly problems: Problem[]
  readonly sites: Site[]
  readonly positionOf: (pointer: string, part?: 'key' | 'value') => Position | undefined
  /** Which codes the part being read reports under: a step has its own. */
  readonly codes: Codes
}

export const PLAN_CODES: Codes = {
  unknown: 'PLAN_UNKNOWN_FIELD',
  missing: 'PLAN_FIELD_MISSING',
  invalid: 'PLAN_FIELD_INVALID',
}

export const STEP_CODES: Codes = {
  unknown: 'INVALID_STEP_SCHEMA',
  missing: 'INVALID_STEP_SCHEMA',
  invalid: 'INVALID_STEP_SCHEMA',
}

export function child(parent: Place | undefined, key: string | number): Place {
  return { parent, key }
}

export function pathOf(place: Place | undefined): readonly (string | number)[] {
  const path: (string | number)[] = []
  for (let at = place; at !== undefined; at = at.parent) path.push(at.key)
  return path.reverse()
}

export function pointerOf(place: Place | undefined): string {
  return pathOf(place).map(pointerSegment).join('')
}

export type Refusal = Pick<ProblemExtras, 'hint' | 'details'> & {
  /** Point at the key instead of the value. */
  readonly part?: 'key'
}

export function refuse(
  reading: Pick<Reading, 'problems' | 'positionOf'>,
  code: Problem['code'],
  place: Place | undefined,
  message: string,
  { part, ...extras }: Refusal = {},
): void {
  if (reading.problems.length >= PLAN_LIMITS.problems) return
  const pointer = pointerOf(place)
  const at = reading.positionOf(pointer, part)
  reading.problems.push(problem(code, message, { ...extras, pointer, ...(at === undefined ? {} : { at }) }))
}

const SEARCHED_NAMES = 2_000

/** The known name that was probably meant, if one is near enough to be worth naming. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || known.length > SEARCHED_NAMES || name.length > 64) return undefined
  const candidate = closest(name, known)
  const tolerated = Math.max(1, Math.floor(Math.max(name.length, candidate.length) * 0.45))
  return distance(name.toLowerCase(), candidate.toLowerCase()) <= tolerated ? candidate : undefined
}

/** A suggestion for a problem about to be told; none once no more problems are collected, because looking is not free. */
export function suggest({ problems }: Pick<Reading, 'problems'>, name: string, known: readonly string[]): Refusal {
  return problems.length < PLAN_LIMITS.problems ? didYouMean(name, known) : {}
}

export function didYouMean(name: string, known: readonly string[]): Refusal {
  const meant = nearest(name, known)
  return meant === undefined ? {} : { hint: `did you mean '${meant}'?` }
}
