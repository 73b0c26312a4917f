/** Two versions of an OpenAPI document compared by the same rules: routes, parameters, bodies, answers, and the schemas in them. */
import { isFields, isSame, under, type Change, type Fields, type Json } from './change.ts'
import { schemaChanges } from './schema-change.ts'

/** What people read, and where it is served. */
const WORDS: ReadonlySet<string> = new Set(['info', 'servers', 'tags', 'summary', 'description', 'examples', 'example'])
/** By name; one more is new, one less is gone. */
const NAMED: ReadonlySet<string> = new Set([
  'paths',
  'components',
  'securitySchemes',
  'headers',
  'responses',
  'schemas',
  'content',
  'parameters',
])

export function apiChanges(before: Json, after: Json, at = ''): readonly Change[] {
  if (isSame(before, after)) return []
  if (!isFields(before) || !isFields(after)) return [{ level: 'MAJOR', at, what: 'changed' }]
  const words = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...words].flatMap((word) => partChanges(word, before[word], after[word], under(at, word)))
}

function partChanges(word: string, old: Json | undefined, now: Json | undefined, at: string): readonly Change[] {
  if (isSame(old, now)) return []
  if (WORDS.has(word)) return [{ level: 'PATCH', at, what: 'wording' }]
  if (word === 'schema') return schemaChanges(old ?? true, now ?? true, at)
  if (word === 'schemas') return memberChanges(named(old), named(now), at, schemaChanges)
  if (word === 'required') return [{ level: now === true ? 'MAJOR' : 'MINOR', at, what: 'required or not' }]
  if (NAMED.has(word)) return memberChanges(named(old), named(now), at, apiChanges)
  // A method of a path, or a field of this format that nobody here knows.
  if (old === undefined) return [{ level: 'MINOR', at, what: 'new' }]
  if (now === undefined) return [{ level: 'MAJOR', at, what: 'removed' }]
  return apiChanges(old, now, at)
}

/** Parameters are a list, and are known by their place and name. */
function named(value: Json | undefined): Fields {
  if (!Array.isArray(value)) return isFields(value) ? value : {}
  return Object.fromEntries(
    (value as readonly Fields[]).map((one) => [`${String(one['in'])} ${String(one['name'])}`, one]),
  )
}

function memberChanges(
  before: Fields,
  after: Fields,
  at: string,
  inner: (before: Json, after: Json, at: string) => readonly Change[],
): readonly Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name): readonly Change[] => {
    const [old, now] = [before[name], after[name]]
    const here = under(at, name)
    if (old !== undefined && now !== undefined) return inner(old, now, here)
    if (now === undefined) return [{ level: 'MAJOR', at: here, what: 'removed' }]
    const isDemanded = isFields(now) && now['required'] === true && now['in'] !== undefined
    return [{ level: isDemanded ? 'MAJOR' : 'MINOR', at: here, what: isDemanded ? 'new and required' : 'new' }]
  })
}
