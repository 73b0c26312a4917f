/**
 * Text to plan: reads YAML or JSON and compiles it, telling every problem with its line and column. Never throws,
 * whatever the text. The canonical text it gives is the plan's identity (RFC 8785).
 */
import canonicalize from 'canonicalize'
import type { Position, Problem } from '../problems/problem.ts'
import { ok, type Result } from '../result.ts'
import type { Outline } from './check-graph.ts'
import { compileDocument } from './compile-document.ts'
import type { Json, Plan } from './plan.ts'
import { readDocument, type ReadOptions } from './read-document.ts'
import { PLAN_CODES, type Reading, type Site } from './reading.ts'

export interface ParsedPlan {
  readonly plan: Plan
  /** Canonical JSON. */
  readonly text: string
  /** Where the value at a JSON pointer of the compiled plan was written, if it was. */
  positionOf(pointer: string): Position | undefined
}

/** What parsing found, kept even when there are problems, for the checks that add theirs. */
export interface PlanReading {
  readonly plan?: Plan
  readonly problems: readonly Problem[]
  readonly outline?: Outline
  readonly sites: readonly Site[]
  readonly positionOf: (pointer: string, part?: 'key' | 'value') => Position | undefined
}

export function parsePlan(text: string, options: ReadOptions = {}): Result<ParsedPlan> {
  const reading = readPlan(text, options)
  const { plan, problems, positionOf } = reading
  if (plan === undefined) return { ok: false, problems: sortProblems(problems) }
  return ok({
    plan,
    text: canonicalPlan(plan),
    positionOf: (pointer) => positionOf(pointer) ?? positionOf(asWritten(pointer)),
  })
}

export function readPlan(text: string, options: ReadOptions): PlanReading {
  const { root, problems, positionOf } = readDocument(text, options)
  if (root === undefined) return { problems, sites: [], positionOf }
  return readPlanValue(root.value, problems, positionOf)
}

/** For a document that is already a JSON value, such as the TypeScript builder's. */
export function readPlanValue(value: Json, found: readonly Problem[], positionOf: Reading['positionOf']): PlanReading {
  const reading: Reading = { problems: [...found], sites: [], positionOf, codes: PLAN_CODES }
  const { plan, outline } = compileDocument(value, reading)
  const { problems, sites } = reading
  return { ...(plan === undefined || problems.length > 0 ? {} : { plan }), problems, outline, sites, positionOf }
}

export function canonicalPlan(plan: Plan): string {
  return canonicalize(plan) ?? ''
}

/** In the order of the text; what has no position comes last. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  const lineOf = (found: Problem): number => found.at?.line ?? Number.MAX_SAFE_INTEGER
  return [...problems].sort((a, b) => lineOf(a) - lineOf(b) || (a.at?.column ?? 0) - (b.at?.column ?? 0))
}

const SHORT_FORMS: readonly (readonly [RegExp, string])[] = [
  [/^\/metadata\/planId$/, '/plan'],
  [/^\/metadata\/planVersion$/, '/version'],
  [/^\/metadata\/requiresCapabilities/, '/requires'],
  [/^(\/steps\/\d+)\/stepId$/, '$1/id'],
]

function asWritten(pointer: string): string {
  return SHORT_FORMS.reduce((path, [full, short]) => path.replace(full, short), pointer)
}
