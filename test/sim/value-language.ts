/**
 * The few kinds of expressions that simulated plans use, read and evaluated a second time and without a line of the
 * product: paths, one flattening, length, comparisons with literals, a default. What is none of these throws.
 */

export type Roots = Readonly<Record<string, unknown>>

/** An expression that does not fit its data: the product refuses it, and so does this. */
export class ValueProblem extends Error {}

/** `steps.s1.output[].n`, `length(item.list)`, `input.n == \`7\``, `steps.s2.output || \`[]\`` */
export function valueOf(expression: string, roots: Roots): unknown {
  const text = expression.trim()
  const either = splitAt(text, '||')
  if (either !== undefined) {
    const first = valueOf(either[0], roots)
    return isTruth(first) ? first : valueOf(either[1], roots)
  }
  for (const sign of ['==', '>', '<'] as const) {
    const sides = splitAt(text, sign)
    if (sides !== undefined) return compared(sign, valueOf(sides[0], roots), valueOf(sides[1], roots))
  }
  if (text.startsWith('`')) return JSON.parse(text.slice(1, -1)) as unknown
  const length = /^length\((.*)\)$/.exec(text)?.[1]
  return length === undefined ? pathValue(text, roots) : lengthOf(valueOf(length, roots))
}

/** JSON whose texts may be one whole `${…}`. */
export function mappedValue(mapping: unknown, roots: Roots): unknown {
  if (typeof mapping === 'string') {
    const whole = /^\$\{(.*)\}$/.exec(mapping)?.[1]
    return whole === undefined ? mapping : valueOf(whole, roots)
  }
  if (Array.isArray(mapping)) return mapping.map((one) => mappedValue(one, roots))
  if (typeof mapping !== 'object' || mapping === null) return mapping
  return Object.fromEntries(Object.entries(mapping).map(([name, inner]) => [name, mappedValue(inner, roots)]))
}

export function isTruth(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return value !== null && value !== undefined && value !== false && value !== ''
}

/** The two sides of the first sign that stands outside of brackets and literals. */
function splitAt(text: string, sign: string): readonly [string, string] | undefined {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '`') quoted = !quoted
    if (quoted) continue
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0 && text.startsWith(sign, at)) return [text.slice(0, at), text.slice(at + sign.length)]
  }
  return undefined
}

function compared(sign: '==' | '>' | '<', left: unknown, right: unknown): unknown {
  if (sign === '==') return sortedText(left) === sortedText(right)
  if (typeof left !== 'number' || typeof right !== 'number') return null
  return sign === '>' ? left > right : left < right
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return [...value].length
  if (Array.isArray(value)) return value.length
  if (typeof value === 'object' && value !== null) return Object.keys(value).length
  throw new ValueProblem(`length of ${String(value)}`)
}

function pathValue(text: string, roots: Roots): unknown {
  const parts: readonly string[] = text.match(/\w+|\[-?\d*\]/g) ?? []
  if (parts.join('') !== text.replaceAll('.', '')) throw new Error(`the simulator does not know '${text}'`)
  const flat = parts.indexOf('[]')
  const before = (flat < 0 ? parts : parts.slice(0, flat)).reduce<unknown>(part, roots)
  if (flat < 0) return before
  if (!Array.isArray(before)) return null
  const rest = parts.slice(flat + 1)
  return before
    .flat()
    .map((one: unknown) => rest.reduce<unknown>(part, one))
    .filter((one) => one !== null)
}

function part(value: unknown, name: string): unknown {
  if (name.startsWith('['))
    return Array.isArray(value) ? ((value.at(Number(name.slice(1, -1))) as unknown) ?? null) : null
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.hasOwn(value, name) ? ((value as Record<string, unknown>)[name] ?? null) : null
}

/** JSON text whatever the order its keys were written in. */
export function sortedText(value: unknown): string {
  return JSON.stringify(sorted(value ?? null))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]))
}
