/**
 * Builds the value of a mapping (`with`, `output`, `body` …): JSON whose strings may hold `${…}`. A string that is one
 * whole `${…}` keeps the type of its value; inside other text a value becomes text. A missing value there is refused,
 * because a gap in an address or a command is worse than a failed step.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Json } from '../../core/plan/plan.ts'
import { parseTemplate, wholeExpression, type TemplatePart } from '../../core/plan/read/template.ts'
import { problem, type Problem } from '../../core/problems/problem.ts'
import { ok, okUnless, refused, refusedFor, type Result } from '../../core/result.ts'
import { ExpressionBudget } from './budget.ts'
import type { ExpressionNeeds, RootName } from './check.ts'
import { evaluate, expressionNeeds, type ExpressionRoots } from './expressions.ts'
import { jsonBytes } from '../schemas/json-bytes.ts'

const MAX_MAPPING_DEPTH = 100

/** The mapping with every `${…}` replaced; or all problems found, each with the pointer of its place. */
export function mapValue(mapping: Json, roots: ExpressionRoots, outer?: ExpressionBudget): Result<Json> {
  if (isConstant(mapping)) return ok(mapping)
  const problems: Problem[] = []
  const budget = ExpressionBudget.ofMapping(outer)
  const value = mapNode(mapping, '', (text, pointer) => {
    // Nobody reads more problems than this, and each may have cost as much as an expression may.
    if (problems.length >= MAX_PROBLEMS) return null
    const mapped = mapText(text, roots, budget)
    if (mapped.ok) return mapped.value
    appendAll(
      problems,
      mapped.problems.map((found) => ({ pointer, ...found })),
    )
    return null
  })
  if (problems.length > 0) return refusedFor(problems)
  if (!value.ok || jsonBytes(value.value, LIMITS.valueBytes) !== undefined) return value
  return refused(problem('EXPR_LIMIT', `A mapping gives more than ${LIMITS.valueBytes} bytes.`))
}

const MAX_PROBLEMS = 20

const NO_NEEDS: Result<ExpressionNeeds> = ok({ roots: [], steps: [], ends: [] })

/** Everything that the expressions of a mapping read, so that nothing else is loaded for it. */
export function mappingNeeds(mapping: Json): Result<ExpressionNeeds> {
  if (isConstant(mapping)) return NO_NEEDS
  const roots = new Set<RootName>()
  const steps = new Set<string>()
  const ends = new Set<string>()
  const problems: Problem[] = []
  const walked = mapNode(mapping, '', (text, pointer) => {
    const found = textNeeds(text)
    if (!found.ok)
      appendAll(
        problems,
        found.problems.map((each) => ({ pointer, ...each })),
      )
    else {
      for (const root of found.value.roots) roots.add(root)
      for (const step of found.value.steps) steps.add(step)
      for (const step of found.value.ends) ends.add(step)
    }
    return text
  })
  if (!walked.ok) return walked
  return okUnless(problems, { roots: [...roots], steps: [...steps], ends: [...ends] })
}

/**
 * Its value is what it is: most mappings are small and hold no expression, and every step pays for this check. A deep mapping gets
 * the full walk.
 */
export function isConstant(node: Json, depth = 0): boolean {
  if (typeof node === 'string') return !node.includes('$')
  if (node === null || typeof node !== 'object') return true
  if (depth >= CONSTANT_DEPTH) return false
  return Object.values(node).every((child) => isConstant(child, depth + 1))
}

const CONSTANT_DEPTH = 8

function textNeeds(text: string): Result<ExpressionNeeds> {
  const parts = parseTemplate(text)
  if (!parts.ok) return parts
  const needs = parts.value.flatMap((part) => ('expression' in part ? [expressionNeeds(part.expression)] : []))
  const failed = needs.find((each) => !each.ok)
  if (failed !== undefined) return failed
  const found = needs.flatMap((each) => (each.ok ? [each.value] : []))
  return ok({
    roots: found.flatMap((each) => each.roots),
    steps: found.flatMap((each) => each.steps),
    ends: found.flatMap((each) => each.ends),
  })
}

function mapNode(node: Json, pointer: string, mapString: (text: string, pointer: string) => Json): Result<Json> {
  if (pointer.length > 0 && pointer.split('/').length > MAX_MAPPING_DEPTH) {
    return refused(problem('EXPR_TOO_COMPLEX', `A mapping may be ${MAX_MAPPING_DEPTH} levels deep.`, { pointer }))
  }
  if (typeof node === 'string') return ok(mapString(node, pointer))
  if (node === null || typeof node !== 'object') return ok(node)
  const mapped: [string, Json][] = []
  for (const [name, child] of Object.entries(node)) {
    const result = mapNode(child, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, mapString)
    if (!result.ok) return result
    mapped.push([name, result.value])
  }
  return ok(Array.isArray(node) ? mapped.map(([, child]) => child) : Object.fromEntries(mapped))
}

function mapText(text: string, roots: ExpressionRoots, budget: ExpressionBudget): Result<Json> {
  if (!text.includes('${')) return ok(text)
  const parts = parseTemplate(text)
  if (!parts.ok) return parts
  const whole = wholeExpression(parts.value)
  // `evaluate` returns JSON or refuses, so its value is Json.
  return whole === undefined ? expand(parts.value, roots, budget) : (evaluate(whole, roots, budget) as Result<Json>)
}

function expand(parts: readonly TemplatePart[], roots: ExpressionRoots, budget: ExpressionBudget): Result<string> {
  let text = ''
  for (const part of parts) {
    const piece = 'literal' in part ? ok(part.literal) : expandOne(part.expression, roots, budget)
    if (!piece.ok) return piece
    text += piece.value
    if (text.length > LIMITS.expandedTextBytes || Buffer.byteLength(text) > LIMITS.expandedTextBytes) return tooLong()
  }
  return ok(text)
}

function expandOne(expression: string, roots: ExpressionRoots, budget: ExpressionBudget): Result<string> {
  const result = evaluate(expression, roots, budget)
  if (!result.ok) return result
  const { value } = result
  if (value === null) {
    const message = `\`${expression}\` has no value, and the text around it needs one.`
    return refused(problem('EXPR_VALUE_MISSING', message, { hint: `give a default: \${${expression} || 'none'}` }))
  }
  if (typeof value !== 'object') return ok(String(value))
  return jsonBytes(value, LIMITS.expandedTextBytes) === undefined ? tooLong() : ok(JSON.stringify(value))
}

function tooLong(): Result<never> {
  return refused(problem('EXPR_LIMIT', `A text expands to more than ${LIMITS.expandedTextBytes} bytes.`))
}
