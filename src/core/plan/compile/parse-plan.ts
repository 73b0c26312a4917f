/**
 * Text to plan: reads YAML or JSON and compiles it, reporting every problem with its line and column. Never throws,
 * whatever the text. Its canonical text is the plan's identity (RFC 8785).
 */
import canonicalize from 'canonicalize'
import type { Position, Problem } from '../../problems/problem.ts'
import { ok, refusedFor, type Result } from '../../result.ts'
import type { Outline } from '../read/outline.ts'
import { compileDocument } from './compile-document.ts'
import type { Json, Plan } from '../plan.ts'
import { readDocument, type ReadOptions } from '../read/read-document.ts'
import { PLAN_CODES, type Block, type Reading, type Site } from '../read/reading.ts'

export interface ParsedPlan {
  readonly plan: Plan
  /** Canonical JSON. */
  readonly text: string
  /** Where the value at a JSON pointer of the compiled plan was written, if it was written. */
  positionOf(pointer: string): Position | undefined
}

/** The result of parsing, kept even when there are problems, for later checks that add theirs. */
export interface PlanReading {
  readonly plan?: Plan
  readonly problems: readonly Problem[]
  readonly outline?: Outline
  readonly sites: readonly Site[]
  readonly blocks: readonly Block[]
  readonly positionOf: (pointer: string, part?: 'key' | 'value') => Position | undefined
}

export function parsePlan(text: string, options: ReadOptions = {}): Result<ParsedPlan> {
  const reading = readPlan(text, options)
  const { plan, problems, positionOf } = reading
  if (plan === undefined) return refusedFor(sortProblems(problems))
  return ok({
    plan,
    text: canonicalPlan(plan),
    positionOf: (pointer) => positionOf(pointer) ?? positionOf(asWritten(pointer)),
  })
}

export function readPlan(text: string, options: ReadOptions): PlanReading {
  const { root, problems, positionOf } = readDocument(text, options)
  if (root === undefined) return { problems, sites: [], blocks: [], positionOf }
  return readPlanValue(root.value, problems, positionOf)
}

/** For a document that is already a JSON value, such as the TypeScript builder's. */
export function readPlanValue(value: Json, found: readonly Problem[], positionOf: Reading['positionOf']): PlanReading {
  const blocks: Block[] = []
  const reading: Reading = { problems: [...found], sites: [], positionOf, codes: PLAN_CODES, blocks }
  const { plan, outline } = compileDocument(value, reading)
  const { problems, sites } = reading
  const whole = plan === undefined || problems.length > 0 ? {} : { plan }
  return { ...whole, problems, outline, sites, blocks, positionOf }
}

export function canonicalPlan(plan: Plan): string {
  return canonicalize(plan) ?? ''
}

/** In the order of the text; problems without a position come last. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  const lineOf = (found: Problem): number => found.at?.line ?? Number.MAX_SAFE_INTEGER
  return [...problems].sort((a, b) => lineOf(a) - lineOf(b) || (a.at?.column ?? 0) - (b.at?.column ?? 0))
}

const SHORT_FORMS: readonly (readonly [RegExp, string])[] = [
  [/^\/metadata\/planId$/, '/plan'],
  [/^\/metadata\/planVersion$/, '/version'],
  [/^\/metadata\/requiresCapabilities/, '/requires'],
  [/^(\/steps\/\d+)\/stepId$/, '$1/id'],
  [/^(.*\/[A-Za-z]+)Ms$/, '$1'],
]

function asWritten(pointer: string): string {
  return SHORT_FORMS.reduce((path, [full, short]) => path.replace(full, short), pointer)
}
