/**
 * From text to a value with positions, for YAML and JSON alike. Text that is too large is refused before it is parsed;
 * no text makes this throw.
 */
import { LIMITS } from '../../limits.ts'
import { problem, type Position, type Problem } from '../../problems/problem.ts'
import { PLAN_LIMITS } from '../plan-limits.ts'
import { readJson, type ReadOutcome } from './read-json.ts'
import { readYaml } from './read-yaml.ts'
import { locator, spanOf, type Locate, type SourceNode } from './source.ts'

export interface ReadOptions {
  readonly file?: string
  /** By the file's name when absent; text that begins with a brace is tried as JSON first. */
  readonly format?: 'yaml' | 'json'
  /** Size of the text in UTF-8; a compiled plan, with defaults written out, may be larger. */
  readonly maxBytes?: number
}

export interface ReadDocument {
  readonly root?: SourceNode
  readonly problems: readonly Problem[]
  /** Where the value (or the key) at a JSON pointer was written. */
  readonly positionOf: (pointer: string, part?: 'key' | 'value') => Position | undefined
}

export function readDocument(text: string, options: ReadOptions): ReadDocument {
  const locate = locator(text, options.file)
  const limit = options.maxBytes ?? LIMITS.planBytes
  if (utf8Bytes(text, limit) > limit) {
    const message = `the plan is larger than ${limit} bytes`
    return { problems: [problem('PLAN_TOO_LARGE', message, { at: locate(0, 1) })], positionOf: () => undefined }
  }
  const outcome = readAs(text, options, locate)
  const { root } = outcome
  return {
    ...(root === undefined ? {} : { root }),
    problems: outcome.problems.slice(0, PLAN_LIMITS.problems),
    positionOf: (pointer, part = 'value') => {
      const span = root === undefined ? undefined : spanOf(root, pointer, part)
      return span === undefined ? undefined : locate(span.start, span.end)
    },
  }
}

function readAs(text: string, options: ReadOptions, locate: Locate): ReadOutcome {
  const format = options.format ?? (options.file?.toLowerCase().endsWith('.json') === true ? 'json' : undefined)
  if (format === 'json') return readJson(text, locate)
  if (format === undefined && /^\s*\{/.test(text)) {
    const strict = readJson(text, locate)
    if (strict.root !== undefined) return strict
  }
  return readYaml(text, locate)
}

/** Counts only until the limit is exceeded. */
function utf8Bytes(text: string, limit: number): number {
  if (text.length > limit || text.length * 3 <= limit) return text.length
  let bytes = 0
  for (let at = 0; at < text.length && bytes <= limit; at++) {
    const unit = text.charCodeAt(at)
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit < 0xe000 ? 2 : 3
  }
  return bytes
}
