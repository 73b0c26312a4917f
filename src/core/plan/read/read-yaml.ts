/**
 * Reads YAML 1.2 (core schema) into the source tree. Aliases are followed by reference, and their expanded size is
 * counted, so that a small text cannot become a large plan; tags, merge keys and other YAML versions are refused.
 */
import type { CST, Document, Node, Pair, Scalar } from 'yaml'
import { LIMITS } from '../../limits.ts'
import { problem, type Problem } from '../../problems/problem.ts'
import type { Json } from '../plan.ts'
import { PLAN_LIMITS } from '../plan-limits.ts'
import type { ReadOutcome } from './read-json.ts'
import { keyProblem, writtenProblem } from './scalar-rules.ts'
import type { Locate, SourceEntry, SourceNode, Span } from './source.ts'
import { yamlLibrary } from './yaml-library.ts'

interface Walk {
  readonly locate: Locate
  readonly problems: Problem[]
  readonly anchors: Map<string, SourceNode | 'open'>
  aliases: number
  stopped: boolean
}

const PARSE_OPTIONS = {
  version: '1.2',
  schema: 'core',
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const

export function readYaml(text: string, locate: Locate): ReadOutcome {
  const documents = parseQuietly(text)
  if (documents instanceof TooDeep) {
    const at = locate(documents.offset, documents.offset + 1)
    return { problems: [problem('PLAN_TOO_DEEP', TOO_DEEP, { at })] }
  }
  if (documents === 'long') {
    const message = `the plan has more than ${PLAN_LIMITS.yamlTokens} words and signs of YAML`
    const found = problem('PLAN_TOO_LARGE', message, {
      at: locate(0, 1),
      hint: 'write a plan as large as this in JSON',
    })
    return { problems: [found] }
  }
  const [first, second] = documents
  if (first === undefined || first.contents === null) return unreadable(locate, 0, 'the plan is empty')
  const problems = documentProblems(first, locate)
  if (second !== undefined) {
    problems.push(syntax(locate, second.range[0], 'a second document begins here; a file holds one plan'))
  }
  if (problems.length > 0) return { problems }
  const walk: Walk = { locate, problems, anchors: new Map(), aliases: 0, stopped: false }
  const root = readNode(walk, first.contents, 0)
  return walk.stopped || root === undefined ? { problems } : { root, problems }
}

const TOO_DEEP = `this is nested more than ${PLAN_LIMITS.depth} levels deep`

/**
 * The library composes a document by calling itself for each level, and would run out of stack. Its parser has one entry for each open
 * level and a few more; texts a little too deep are composed, so that `readNode` tells the place where it is.
 */
const OPEN_LEVELS = 2 * PLAN_LIMITS.depth

class TooManyTokens extends Error {}

class TooDeep extends Error {
  readonly offset: number

  constructor(offset: number) {
    super(TOO_DEEP)
    this.offset = offset
  }
}

/** At most two documents: a text may hold millions, and the second is already refused. */
function parseQuietly(text: string): readonly Document.Parsed[] | TooDeep | 'long' {
  const { Composer } = yamlLibrary()
  const documents: Document.Parsed[] = []
  try {
    for (const document of new Composer(PARSE_OPTIONS).compose(parsed(text), false, text.length)) {
      documents.push(document)
      if (documents.length === 2) break
    }
    return documents
  } catch (thrown) {
    if (thrown instanceof TooManyTokens) return 'long'
    if (thrown instanceof TooDeep) return thrown
    throw thrown
  }
}

/** Every token becomes one object or more: the number of tokens counts, not only the bytes. */
function* parsed(text: string): Generator<CST.Token, void> {
  const { Lexer, Parser } = yamlLibrary()
  const parser = new Parser()
  let tokens = 0
  for (const token of new Lexer().lex(text)) {
    tokens += 1
    if (tokens > PLAN_LIMITS.yamlTokens) throw new TooManyTokens()
    yield* parser.next(token)
    if (parser.stack.length > OPEN_LEVELS) throw new TooDeep(parser.offset)
  }
  yield* parser.end()
}

function documentProblems(document: Document.Parsed, locate: Locate): Problem[] {
  const found = [...document.errors, ...document.warnings]
    .slice(0, PLAN_LIMITS.problems)
    .map(({ message, pos }) => problem('PLAN_SYNTAX', message, { at: locate(pos[0], pos[1]) }))
  const { explicit, version } = document.directives.yaml
  if (explicit === true && version !== '1.2')
    found.push(syntax(locate, 0, `YAML ${version} is not read; plans are YAML 1.2`))
  return found
}

function readNode(walk: Walk, node: Node | null, depth: number): SourceNode | undefined {
  if (walk.stopped) return undefined
  const { isAlias, isMap, isScalar, isSeq } = yamlLibrary()
  const span = spanOfNode(node)
  if (depth > PLAN_LIMITS.depth) return stop(walk, 'PLAN_TOO_DEEP', TOO_DEEP, span)
  if (isAlias(node)) return followAlias(walk, node.source, span, depth)
  refuseTag(walk, node, span)
  const anchor = node !== null && 'anchor' in node ? node.anchor : undefined
  if (anchor !== undefined) walk.anchors.set(anchor, 'open')
  const read = isMap<Node, Node | null>(node)
    ? readMap(walk, node.items, span, depth)
    : isSeq<Node | null>(node)
      ? readSeq(walk, node.items, span, depth)
      : readScalar(walk, isScalar(node) ? node : undefined, span)
  if (anchor !== undefined && read !== undefined) walk.anchors.set(anchor, read)
  if (read !== undefined && walk.aliases > 0 && read.weight > LIMITS.planBytes)
    return stop(walk, 'PLAN_ALIAS_LIMIT', 'aliases expand this to more than a plan may hold', span)
  return read
}

/** Tags that a value has anyway. */
const CORE_TAGS: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
)

/**
 * A tag asks for a value that JSON does not have (bytes, a date, a set); the library would read some of them as another
 * type.
 */
function refuseTag(walk: Walk, node: Node | null, span: Span): boolean {
  const tag = node !== null && 'tag' in node ? node.tag : undefined
  if (tag === undefined || tag === '!' || CORE_TAGS.has(tag)) return false
  const written = tag.replace(/^tag:yaml\.org,2002:/, '!!')
  const found = problem('PLAN_VALUE_UNSUPPORTED', `the YAML tag ${written} is not supported`, {
    at: walk.locate(span.start, span.end),
    hint: 'write the value without a tag: text, a number, true, false, null, a list or fields',
  })
  walk.problems.push(found)
  return true
}

function followAlias(walk: Walk, name: string, span: Span, depth: number): SourceNode | undefined {
  walk.aliases += 1
  if (walk.aliases > PLAN_LIMITS.aliases)
    return stop(walk, 'PLAN_ALIAS_LIMIT', `the plan has more than ${PLAN_LIMITS.aliases} aliases`, span)
  const target = walk.anchors.get(name)
  if (target === 'open') return stop(walk, 'PLAN_ALIAS_LIMIT', `the alias *${name} contains itself`, span)
  if (target === undefined) return stop(walk, 'PLAN_SYNTAX', `there is no anchor &${name} before this alias`, span)
  if (depth + target.height > PLAN_LIMITS.depth)
    return stop(
      walk,
      'PLAN_TOO_DEEP',
      `the alias *${name} nests the plan more than ${PLAN_LIMITS.depth} levels deep`,
      span,
    )
  return target
}

function readMap(
  walk: Walk,
  pairs: readonly Pair<Node, Node | null>[],
  span: Span,
  depth: number,
): SourceNode | undefined {
  const value: Record<string, Json> = {}
  const entries: SourceEntry[] = []
  let height = 0
  let weight = 2
  for (const pair of pairs) {
    const keySpan = spanOfNode(pair.key)
    const node = readNode(walk, pair.value ?? null, depth + 1)
    if (node === undefined) return undefined
    const key = readKey(walk, pair.key, keySpan, value)
    if (key === undefined) continue
    value[key] = node.value
    entries.push({ key, ...keySpan, node: pair.value === null ? { ...node, ...keySpan } : node })
    height = Math.max(height, node.height + 1)
    weight += key.length + node.weight + 2
  }
  return { ...span, value, entries, height, weight }
}

function readKey(walk: Walk, key: Node, span: Span, value: Readonly<Record<string, Json>>): string | undefined {
  if (refuseTag(walk, key, span)) return undefined
  const text: unknown = yamlLibrary().isScalar(key) ? key.value : undefined
  const refusal = typeof text === 'string' ? refusalOfKey(text, value) : NOT_TEXT
  if (refusal !== undefined) walk.problems.push({ ...refusal, at: walk.locate(span.start, span.end) })
  return refusal === undefined && typeof text === 'string' ? text : undefined
}

const NOT_TEXT = problem('PLAN_KEY_REFUSED', 'a key must be text', { hint: 'put the key in quotes' })
const MERGE_KEY = problem('PLAN_KEY_REFUSED', "merge keys ('<<') are not part of YAML 1.2", {
  hint: 'write the fields out',
})

function refusalOfKey(key: string, value: Readonly<Record<string, Json>>): Problem | undefined {
  if (Object.hasOwn(value, key)) return problem('PLAN_DUPLICATE_KEY', `'${key}' is written twice`)
  return key === '<<' ? MERGE_KEY : keyProblem(key)
}

function readSeq(walk: Walk, nodes: readonly (Node | null)[], span: Span, depth: number): SourceNode | undefined {
  const items: SourceNode[] = []
  let height = 0
  let weight = 2
  for (const child of nodes) {
    const item = readNode(walk, child, depth + 1)
    if (item === undefined) return undefined
    items.push(item)
    height = Math.max(height, item.height + 1)
    weight += item.weight + 1
  }
  return { ...span, value: items.map((item) => item.value), items, height, weight }
}

function readScalar(walk: Walk, scalar: Scalar | undefined, span: Span): SourceNode {
  const value: unknown = scalar?.value ?? null
  const refusal = writtenProblem(value, scalar?.source ?? '')
  if (refusal !== undefined) walk.problems.push({ ...refusal, at: walk.locate(span.start, span.end) })
  const kept = refusal === undefined && isScalarValue(value) ? value : ''
  return { ...span, value: kept, height: 0, weight: typeof kept === 'string' ? kept.length + 2 : 4 }
}

function isScalarValue(value: unknown): value is null | boolean | number | string {
  return value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string'
}

function spanOfNode(node: Node | null): Span {
  const range = node?.range
  return range === undefined || range === null ? { start: 0, end: 0 } : { start: range[0], end: range[1] }
}

function stop(walk: Walk, code: Problem['code'], message: string, span: Span): undefined {
  walk.problems.push(problem(code, message, { at: walk.locate(span.start, span.end) }))
  walk.stopped = true
}

function unreadable(locate: Locate, offset: number, message: string): ReadOutcome {
  return { problems: [syntax(locate, offset, message)] }
}

function syntax(locate: Locate, offset: number, message: string): Problem {
  return problem('PLAN_SYNTAX', message, { at: locate(offset, offset + 1) })
}
