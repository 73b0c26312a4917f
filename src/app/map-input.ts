/**
 * Builds the value a mapping stands for (`with`, `output`, `body` …): JSON whose strings may hold `${…}`. A string that
 * is one whole `${…}` keeps the type of its value; inside other text a value becomes text, and a missing one is refused
 * rather than leave a hole, because a hole in an address or a command is worse than a failed step.
 */
import { LIMITS } from '../core/limits.ts'
import type { Json } from '../core/plan/plan.ts'
import { parseTemplate, wholeExpression, type TemplatePart } from '../core/plan/template.ts'
import { problem, type Problem } from '../core/problems/problem.ts'
import { ok, refused, type Result } from '../core/result.ts'
import type { ExpressionNeeds, RootName } from './expression-check.ts'
import { evaluate, expressionNeeds, type ExpressionRoots } from './expressions.ts'
import { jsonBytes } from './json-bytes.ts'

const MAX_MAPPING_DEPTH = 100

/** The mapping with every `${…}` replaced; all problems found, each with the pointer of its place. */
export function mapValue(mapping: Json, roots: ExpressionRoots): Result<Json> {
  const problems: Problem[] = []
  const value = mapNode(mapping, '', (text, pointer) => {
    const mapped = mapText(text, roots)
    if (mapped.ok) return mapped.value
    problems.push(...mapped.problems.map((found) => ({ pointer, ...found })))
    return null
  })
  return problems.length === 0 ? value : refused(...problems)
}

const NO_NEEDS: Result<ExpressionNeeds> = ok({ roots: [], steps: [] })

/** Everything the expressions of a mapping read, so that no more is loaded for it. */
export function mappingNeeds(mapping: Json): Result<ExpressionNeeds> {
  if (isConstant(mapping, 0)) return NO_NEEDS
  const roots = new Set<RootName>()
  const steps = new Set<string>()
  const problems: Problem[] = []
  const walked = mapNode(mapping, '', (text, pointer) => {
    const found = textNeeds(text)
    if (!found.ok) problems.push(...found.problems.map((each) => ({ pointer, ...each })))
    else {
      for (const root of found.value.roots) roots.add(root)
      for (const step of found.value.steps) steps.add(step)
    }
    return text
  })
  if (!walked.ok) return walked
  return problems.length === 0 ? ok({ roots: [...roots], steps: [...steps] }) : refused(...problems)
}

/** Most mappings are small and hold no expression: every step pays for this look. A deep one is left to the full walk. */
function isConstant(node: Json, depth: number): boolean {
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
  return ok({ roots: found.flatMap((each) => each.roots), steps: found.flatMap((each) => each.steps) })
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

function mapText(text: string, roots: ExpressionRoots): Result<Json> {
  if (!text.includes('${')) return ok(text)
  const parts = parseTemplate(text)
  if (!parts.ok) return parts
  const whole = wholeExpression(parts.value)
  // `evaluate` gives JSON or refuses, so its value is Json.
  return whole === undefined ? expand(parts.value, roots) : (evaluate(whole, roots) as Result<Json>)
}

function expand(parts: readonly TemplatePart[], roots: ExpressionRoots): Result<string> {
  let text = ''
  for (const part of parts) {
    const piece = 'literal' in part ? ok(part.literal) : expandOne(part.expression, roots)
    if (!piece.ok) return piece
    text += piece.value
    if (text.length > LIMITS.expandedTextBytes || Buffer.byteLength(text) > LIMITS.expandedTextBytes) return tooLong()
  }
  return ok(text)
}

function expandOne(expression: string, roots: ExpressionRoots): Result<string> {
  const result = evaluate(expression, roots)
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
