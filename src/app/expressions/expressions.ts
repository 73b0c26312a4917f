/**
 * Evaluates the expressions of plans: JMESPath over the run's data, checked and compiled once, bounded while it runs.
 * Nothing here throws; an expression that is wrong, too expensive, or does not fit its data is refused with a code.
 */
import type { JSONValue } from '@jmespath-community/jmespath'
import type { SentEvent } from '../../core/events/sent-event.ts'
import { LIMITS } from '../../core/limits.ts'
import { problem } from '../../core/problems/problem.ts'
import { ok, refused, type Result } from '../../core/result.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'
import { ExpressionBudget, ExpressionLimit } from './budget.ts'
import {
  compileExpression,
  shown,
  type CompiledExpression,
  type ExpressionDocument,
  type ExpressionNeeds,
} from './check.ts'
import { FencedInterpreter } from './interpreter.ts'
import { jsonBytes } from '../schemas/json-bytes.ts'

/** How a step ended, for expressions that ask; its error is null where it did not fail. */
export interface StepEnd {
  readonly status: 'PENDING' | 'RUNNING' | 'SUCCESS' | 'FAILED' | 'SKIPPED'
  readonly error: { readonly code: string } | null
}

/** What an expression can see. A root that does not exist at that place is left out and reads as null. */
export interface ExpressionRoots {
  readonly input?: unknown
  readonly steps?: Readonly<Record<string, { readonly output: unknown } & Partial<StepEnd>>>
  readonly context?: Readonly<Record<string, unknown>>
  readonly previous?: unknown
  readonly item?: unknown
  readonly index?: number
  readonly run?: {
    readonly id: string
    readonly planId: string
    readonly planVersion: string
    readonly attempt?: number
  }
  /** Only in the `match` of a wait. */
  readonly event?: SentEvent
  /** In a compensation: what the step was given, and what came of it. */
  readonly step?: { readonly input: unknown; readonly output: unknown }
}

const COMPILED_MAX = 2_000
const compiled = new BoundedCache<string, Result<CompiledExpression>>(COMPILED_MAX)

/** Evaluates an expression such as `input.items[?qty > \`1\`].id` over the run's data. A missing path gives null. */
export function evaluate(expression: string, roots: ExpressionRoots, mapping?: ExpressionBudget): Result<unknown> {
  return run(expression, 'roots', roots, mapping)
}

/** Evaluates an expression over one value alone: a capture's `transform` over the output. */
export function evaluateOver(expression: string, value: unknown, mapping?: ExpressionBudget): Result<unknown> {
  return run(expression, 'value', value, mapping)
}

/** Which roots and which steps' outputs an expression reads, without evaluating it. */
export function expressionNeeds(expression: string): Result<ExpressionNeeds> {
  const found = compiledOnce(expression, 'roots')
  return found.ok ? ok(found.value.needs) : found
}

/** Can this `transform` be evaluated at all? For admission. */
export function checkTransform(expression: string): Result<undefined> {
  const found = compiledOnce(expression, 'value')
  return found.ok ? ok(undefined) : found
}

/** JMESPath truth: false, null, "", [] and {} are false; everything else is true, 0 too. */
export function isTrue(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return false
  if (Array.isArray(value)) return value.length > 0
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function compiledOnce(expression: string, document: ExpressionDocument): Result<CompiledExpression> {
  const key = `${document}:${expression}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const fresh = compileExpression(expression, document)
  compiled.set(key, fresh)
  return fresh
}

/** Every byte of a result is read again when the result is recorded. */
const RESULT_BYTES_PER_WORK = 64

function run(
  expression: string,
  document: ExpressionDocument,
  data: unknown,
  mapping: ExpressionBudget | undefined,
): Result<unknown> {
  const found = compiledOnce(expression, document)
  if (!found.ok) return found
  try {
    const budget = ExpressionBudget.ofExpression(mapping)
    const value: unknown = new FencedInterpreter(budget).search(found.value.tree, data as JSONValue) ?? null
    const bytes = jsonBytes(value, LIMITS.valueBytes)
    mapping?.spend((bytes ?? 0) / RESULT_BYTES_PER_WORK)
    if (bytes !== undefined) return ok(value)
    const message = `The result of \`${shown(expression)}\` is larger than ${LIMITS.valueBytes} bytes, or is not JSON.`
    return refused(problem('EXPR_LIMIT', message))
  } catch (thrown) {
    const limit = thrown instanceof ExpressionLimit || thrown instanceof RangeError
    const reason = thrown instanceof Error ? thrown.message : 'it failed'
    return refused(
      problem(limit ? 'EXPR_LIMIT' : 'EXPR_FAILED', `\`${shown(expression)}\` was not evaluated: ${reason}.`),
    )
  }
}
