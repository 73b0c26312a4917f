/**
 * Two versions of a JSON Schema compared by the rules of VER-01: what is new and optional or relaxed is MINOR; what is removed, retyped,
 * renamed, narrowed or newly demanded is MAJOR; words are PATCH. A keyword that nobody here knows counts as MAJOR.
 */
import { isFields, isSame, under, type Change, type Fields, type Json, type Level } from './change.ts'

const WORDS: ReadonlySet<string> = new Set(['$schema', '$comment', 'title', 'description', 'examples', 'summary'])
/** More of it is a new constraint, and less is a relaxed one. */
const LEAST: ReadonlySet<string> = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'])
const MOST: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs'])
const INNER: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'propertyNames', 'contains', 'not'])

export function schemaChanges(before: Json, after: Json, at = ''): readonly Change[] {
  if (isSame(before, after)) return []
  if (!isFields(before) || !isFields(after)) return [permission(before, after, at)]
  const words = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...words].flatMap((word) => wordChanges(word, before, after, at))
}

/** `true` and no schema at all allow everything, `false` nothing. */
function permission(before: Json | undefined, after: Json | undefined, at: string): Change {
  const level = after === true || after === undefined || before === false ? 'MINOR' : 'MAJOR'
  return { level, at, what: level === 'MINOR' ? 'allows more' : 'allows less' }
}

function wordChanges(word: string, before: Fields, after: Fields, at: string): readonly Change[] {
  const [old, now] = [before[word], after[word]]
  if (isSame(old, now)) return []
  const here = under(at, word)
  if (WORDS.has(word)) return [{ level: 'PATCH', at: here, what: 'wording' }]
  if (word === 'type') return setChange('type', typesOf(old), typesOf(now), here)
  if (word === 'enum' || word === 'const') return valueChanges(word, before, after, at)
  if (word === 'required') return requiredChanges(before, after, here)
  if (NAMED.has(word)) return namedChanges(word, old, now, after, here)
  if (INNER.has(word)) return innerChanges(old, now, here)
  if (word === 'anyOf' || word === 'oneOf') return branchChanges(old, now, here, 'MINOR', 'MAJOR')
  if (word === 'allOf') return branchChanges(old, now, here, 'MAJOR', 'MINOR')
  return [constraintChange(word, old, now, here)]
}

function constraintChange(word: string, old: Json | undefined, now: Json | undefined, at: string): Change {
  if (now === undefined && word !== '$ref' && word !== 'default')
    return { level: 'MINOR', at, what: 'a constraint less' }
  if (typeof old === 'number' && typeof now === 'number') {
    const isRelaxed = (LEAST.has(word) && now < old) || (MOST.has(word) && now > old)
    if (isRelaxed) return { level: 'MINOR', at, what: `relaxed from ${old} to ${now}` }
  }
  return { level: 'MAJOR', at, what: old === undefined ? 'a new constraint' : 'changed' }
}

function typesOf(type: Json | undefined): readonly Json[] | undefined {
  const named = type === undefined ? undefined : Array.isArray(type) ? (type as readonly Json[]) : [type]
  // Every whole number is a number.
  return named?.includes('number') === true ? [...named, 'integer'] : named
}

/** Undefined: everything is allowed. */
function setChange(
  what: string,
  old: readonly Json[] | undefined,
  now: readonly Json[] | undefined,
  at: string,
): readonly Change[] {
  if (now === undefined) return [{ level: 'MINOR', at, what: `any ${what}` }]
  const lost = old === undefined || old.some((value) => !now.some((other) => isSame(value, other)))
  return [{ level: lost ? 'MAJOR' : 'MINOR', at, what: lost ? `another or a narrower ${what}` : `one more ${what}` }]
}

/** One constant is a list of one. Told once, where both words changed. */
function valueChanges(word: string, before: Fields, after: Fields, at: string): readonly Change[] {
  if (word === 'const' && !isSame(before['enum'], after['enum'])) return []
  const valuesOf = ({ enum: list, const: one }: Fields): readonly Json[] | undefined =>
    Array.isArray(list) ? (list as readonly Json[]) : one === undefined ? undefined : [one]
  return setChange('value', valuesOf(before), valuesOf(after), under(at, word))
}

function requiredChanges(before: Fields, after: Fields, at: string): readonly Change[] {
  const [old, now] = [namesIn(before['required']), namesIn(after['required'])]
  const demanded = now.filter((name) => !old.includes(name))
  const freed = old.filter((name) => !now.includes(name))
  return [
    ...demanded.map((name): Change => ({ level: 'MAJOR', at, what: `'${name}' is required now` })),
    ...freed.map((name): Change => ({ level: 'MINOR', at, what: `'${name}' is optional now` })),
  ]
}

function namesIn(required: Json | undefined): readonly string[] {
  return Array.isArray(required) ? required.map(String) : []
}

function namedChanges(
  word: string,
  old: Json | undefined,
  now: Json | undefined,
  after: Fields,
  at: string,
): readonly Change[] {
  const [before, later] = [isFields(old) ? old : {}, isFields(now) ? now : {}]
  const removed = Object.keys(before).filter((name) => later[name] === undefined)
  const added = Object.keys(later).filter((name) => before[name] === undefined)
  const kept = Object.keys(before).filter((name) => later[name] !== undefined)
  // A definition counts where something refers to it, and there its name is seen.
  const lostLevel = word === '$defs' ? 'PATCH' : 'MAJOR'
  const demanded = word === 'properties' ? namesIn(after['required']) : []
  return [
    ...removed.map((name): Change => ({ level: lostLevel, at: under(at, name), what: 'removed' })),
    // That it is required is told by `required`.
    ...added
      .filter((name) => !demanded.includes(name))
      .map((name): Change => ({ level: 'MINOR', at: under(at, name), what: 'new and optional' })),
    ...kept.flatMap((name) => schemaChanges(before[name] ?? true, later[name] ?? true, under(at, name))),
  ]
}

function innerChanges(old: Json | undefined, now: Json | undefined, at: string): readonly Change[] {
  if (isFields(old) && isFields(now)) return schemaChanges(old, now, at)
  return [permission(old, now, at)]
}

function branchChanges(
  old: Json | undefined,
  now: Json | undefined,
  at: string,
  added: Exclude<Level, 'none' | 'PATCH'>,
  removed: Exclude<Level, 'none' | 'PATCH'>,
): readonly Change[] {
  const [before, later] = [old, now].map((list) => (Array.isArray(list) ? (list as readonly Json[]) : []))
  if (before === undefined || later === undefined) return []
  if (before.length === later.length)
    return before.flatMap((branch, index) => schemaChanges(branch, later[index] ?? true, under(at, index)))
  const without = (list: readonly Json[], others: readonly Json[]): number =>
    list.filter((branch) => !others.some((other) => isSame(branch, other))).length
  const [gone, come] = [without(before, later), without(later, before)]
  return [
    ...(gone > 0 ? [{ level: removed, at, what: `${gone} of the alternatives gone` } as const] : []),
    ...(come > 0 ? [{ level: added, at, what: `${come} more` } as const] : []),
  ]
}
