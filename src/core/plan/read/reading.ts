/**
 * What is collected while a plan document is read: every problem with its place, and every expression, template and
 * JSON Schema on the way, so that checks that need libraries need not visit the document again.
 */
import { didYouMean } from '../../did-you-mean.ts'
import { problem, type Position, type Problem, type ProblemExtras } from '../../problems/problem.ts'
import type { Outline } from './outline.ts'
import type { Place } from './place.ts'
import type { Json, Plan } from '../plan.ts'
import { PLAN_LIMITS } from '../plan-limits.ts'
import { pointerSegment } from './source.ts'

export type { Place } from './place.ts'

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

/** A block of steps, and the step to which it belongs. */
export interface Block {
  readonly stepId: string
  /** Absent after a problem. */
  readonly plan?: Plan
  readonly outline: Outline
  readonly sites: readonly Site[]
  readonly blocks: readonly Block[]
  /** Where it stands: its `steps` and `output` are below. */
  readonly place: Place
}

export interface Reading {
  readonly problems: Problem[]
  readonly sites: Site[]
  readonly positionOf: (pointer: string, part?: 'key' | 'value') => Position | undefined
  /** The codes of the part being read: a step has its own. */
  readonly codes: Codes
  /** Blocks of steps under `forEach`, each read like a plan of its own. */
  readonly blocks?: Block[]
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

/**
 * A suggestion for a problem about to be reported; none when no more problems are collected, because the search is not
 * free.
 */
export function suggest({ problems }: Pick<Reading, 'problems'>, name: string, known: readonly string[]): Refusal {
  return problems.length < PLAN_LIMITS.problems ? didYouMean(name, known) : {}
}
