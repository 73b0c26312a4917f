/**
 * The fields that may be written at a place of a plan's text, from the very tables that the parser and the published schema are made
 * of. It looks at the indentation of YAML and at braces on the line; where it cannot tell the place it offers nothing.
 */
import { isSection, type Fields } from '../../../src/core/plan/format/fields.ts'
import { planSections, type PlanSection } from '../../../src/core/plan/write/plan-schema.ts'

export interface Completion {
  /** Where the word begins that is completed. */
  readonly from: number
  readonly options: readonly Option[]
}

export interface Option {
  readonly name: string
  readonly about: string
}

const MOST = 40

export function completionsAt(text: string, caret: number): Completion | undefined {
  const place = placeAt(text, caret)
  if (place === undefined) return undefined
  const section = sectionAt(place.path)
  if (section === undefined) return undefined
  const properties = (section.schema['properties'] ?? {}) as Readonly<Record<string, { readonly description?: string }>>
  const options = Object.entries(properties)
    .filter(([name]) => name.startsWith(place.word) && !place.siblings.has(name))
    .map(([name, { description = '' }]) => ({ name, about: description }))
  return options.length === 0 ? undefined : { from: caret - place.word.length, options: options.slice(0, MOST) }
}

function sectionAt(path: readonly string[]): PlanSection | undefined {
  const sections = new Map(planSections().map((section) => [section.name, section]))
  let section = sections.get('plan document')
  for (const key of path) {
    if (section === undefined) return undefined
    section = key === 'steps' ? sections.get('step') : sections.get(nameIn(section.fields, key) ?? '')
  }
  return section
}

function nameIn(fields: Fields, key: string): string | undefined {
  const kind = Object.hasOwn(fields, key) ? fields[key]?.kind : undefined
  if (kind === undefined) return undefined
  if (isSection(kind)) return kind.name
  return kind.of !== undefined && isSection(kind.of) ? kind.of.name : undefined
}

interface Place {
  /** The keys around it, from the outside. */
  readonly path: readonly string[]
  /** As far as it is written. */
  readonly word: string
  /** Keys that stand beside it on its line already. */
  readonly siblings: ReadonlySet<string>
}

interface Line {
  /** Column of its dash; none: -1. */
  readonly dash: number
  /** Column where its key begins. */
  readonly column: number
  readonly rest: string
}

const KEY = /^([A-Za-z][\w-]*)\s*:/

function lineOf(text: string): Line {
  const [lead = '', blank = '', dashes = ''] = /^( *)((?:- +)*)/.exec(text) ?? []
  return { dash: dashes === '' ? -1 : blank.length, column: lead.length, rest: text.slice(lead.length) }
}

function placeAt(text: string, caret: number): Place | undefined {
  const lines = text.slice(0, caret).split('\n')
  const line = lineOf(lines.pop() ?? '')
  const around = keysAround(lines, line)
  const open = line.rest.search(/[{]/)
  if (open < 0) return /^[\w-]*$/.test(line.rest) ? { path: around, word: line.rest, siblings: new Set() } : undefined
  const key = KEY.exec(line.rest)?.[1]
  const flow = flowAt(line.rest.slice(open))
  return flow === undefined
    ? undefined
    : { ...flow, path: [...around, ...(key === undefined ? [] : [key]), ...flow.path] }
}

/** The keys of the lines above that this line stands under. */
function keysAround(lines: readonly string[], { dash, column }: Line): readonly string[] {
  const path: string[] = []
  // A list may stand right under the first letter of its key.
  let [limit, isList] = dash < 0 ? [column, false] : [dash, true]
  for (const written of [...lines].reverse()) {
    const line = lineOf(written)
    if (line.rest.trim() === '' || line.rest.startsWith('#')) continue
    if (!isList && line.dash >= 0 && line.column === limit) {
      ;[limit, isList] = [line.dash, true]
      continue
    }
    const isAbove = line.column < limit || (isList && line.column === limit && line.dash < 0)
    const key = KEY.exec(line.rest)?.[1]
    if (!isAbove || key === undefined) continue
    path.unshift(key)
    ;[limit, isList] = line.dash < 0 ? [line.column, false] : [line.dash, true]
    if (limit === 0 && !isList) break
  }
  return path
}

interface Open {
  readonly key: string | undefined
  readonly keys: Set<string>
}

/** Inside braces on one line. */
function flowAt(text: string): Place | undefined {
  const stack: Open[] = []
  let key: string | undefined
  let isKey = false
  let word = ''
  for (const [token] of text.matchAll(/"[^"]*"?|'[^']*'?|[{}[\],:]|[^\s{}[\],:"']+|\s+/g)) {
    if (token === '{') {
      stack.push({ key, keys: new Set() })
      ;[key, isKey, word] = [undefined, true, '']
    } else if (token === '}' || token === ']') {
      if (token === '}') stack.pop()
      ;[isKey, word] = [false, '']
    } else if (token === ',') [key, isKey, word] = [undefined, true, '']
    else if (token === ':') {
      if (isKey && word !== '') stack.at(-1)?.keys.add(word)
      ;[key, isKey, word] = [isKey ? word : key, false, '']
    } else if (token.trim() !== '') word = isKey ? token : ''
  }
  if (!isKey || stack.length === 0 || !/^[\w-]*$/.test(word)) return undefined
  const path = stack.slice(1).flatMap((open) => (open.key === undefined ? [] : [open.key]))
  return { path, word, siblings: stack.at(-1)?.keys ?? new Set() }
}
