/**
 * A page of the documentation as a test reads it: its fenced blocks, and invisible comments before them that say what a reader does
 * besides typing. `<!-- test: … -->` takes one of these orders:
 *
 *   file NAME                the block is that file (as is a block whose first line is a comment with a name)
 *   first SHELL              typed before the block · after SHELL  typed after it · before N SHELL  typed before its Nth command
 *   exits A B …              how its commands end; 0 where nothing is said
 *   leaves N until TEXT      command N stays in a terminal of its own; the next is typed when it has shown this
 *   finally SHELL            typed at the end of the page, when what stayed was ended
 *   where TEXT is SHELL      what a reader puts in the place of this text
 *   elsewhere [N] REASON     why the block, or command N, cannot be typed here, and which test does it instead
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesUnder } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'

export const PAGES: readonly string[] = ['README.md', ...filesUnder('docs/guides', ['.md'])]

export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
  readonly orders: Orders
}

export interface Orders {
  readonly file?: string
  readonly first: readonly string[]
  readonly after: readonly string[]
  readonly finally: readonly string[]
  readonly before: ReadonlyMap<number, string>
  readonly exits: readonly number[]
  readonly leaves: ReadonlyMap<number, string>
  readonly where: readonly (readonly [text: string, shell: string])[]
  /** Number 0 is the whole block. */
  readonly elsewhere: ReadonlyMap<number, string>
}

export interface Command {
  readonly text: string
  readonly exit: number
  /** What the page shows under it; nothing where it shows nothing. */
  readonly shown: readonly string[]
  readonly before: string | undefined
  readonly leaves: string | undefined
  readonly elsewhere: string | undefined
}

const FENCE = /^[ ]*```(\w*)\n([\s\S]*?)^[ ]*```$/gm
const ORDER = /<!-- test: ([\s\S]*?)-->/g
const NAME = /^(?:#|\/\/) ([\w.-]+)\n/

export function blocksOf(page: string, text = readFileSync(join(ROOT, page), 'utf8')): readonly Block[] {
  let end = 0
  return [...text.matchAll(FENCE)].map((found) => {
    const [whole, language = '', code = ''] = found
    const said = [...text.slice(end, found.index).matchAll(ORDER)].map(([, order = '']) => order.trim())
    end = found.index + whole.length
    const line = text.slice(0, found.index).split('\n').length
    const name = NAME.exec(code)?.[1]
    const orders = ordersOf(said, `${page}:${line}`)
    return { page, line, language, code, orders: name === undefined ? orders : { ...orders, file: name } }
  })
}

function ordersOf(said: readonly string[], at: string): Orders {
  const made = {
    file: undefined as string | undefined,
    first: [] as string[],
    after: [] as string[],
    finally: [] as string[],
    before: new Map<number, string>(),
    exits: [] as number[],
    leaves: new Map<number, string>(),
    where: [] as (readonly [string, string])[],
    elsewhere: new Map<number, string>(),
  }
  for (const order of said) {
    const [, verb = '', rest = ''] = /^(\w+) ([\s\S]*)$/.exec(order) ?? []
    const [, number = '', words = ''] = /^(?:(\d+) )?([\s\S]*)$/.exec(rest) ?? []
    if (verb === 'file') made.file = rest
    else if (verb === 'first' || verb === 'after' || verb === 'finally') made[verb].push(rest)
    else if (verb === 'before') made.before.set(Number(number), words)
    else if (verb === 'exits') made.exits.push(...rest.split(' ').map(Number))
    else if (verb === 'leaves') made.leaves.set(Number(number), words.replace(/^until /, ''))
    else if (verb === 'where') made.where.push(pairOf(rest, at))
    else if (verb === 'elsewhere') made.elsewhere.set(Number(number), words)
    else throw new Error(`${at}: a test cannot follow '${order}'`)
  }
  const { file, ...orders } = made
  return file === undefined ? orders : { ...orders, file }
}

function pairOf(rest: string, at: string): readonly [string, string] {
  const [, text = '', shell = ''] = /^([\s\S]*?) is ([\s\S]*)$/.exec(rest) ?? []
  if (text === '' || shell === '') throw new Error(`${at}: 'where ${rest}' names nothing`)
  return [text, shell]
}

/** `sh` and `bash` are commands alone; in `console` a command stands after `$ `, and what it shows stands under it. */
export const isTyped = ({ language }: Block): boolean => ['sh', 'bash', 'console'].includes(language)

export function commandsOf(block: Block): readonly Command[] {
  const { exits, before, leaves, elsewhere } = block.orders
  return (block.language === 'console' ? fromConsole(block.code) : fromScript(block.code)).map((one, index) => ({
    text: block.orders.where.reduce((text, [from, to]) => text.replaceAll(from, () => to), one.text),
    shown: one.shown,
    exit: exits[index] ?? 0,
    before: before.get(index + 1),
    leaves: leaves.get(index + 1),
    elsewhere: elsewhere.get(index + 1) ?? elsewhere.get(0),
  }))
}

interface Written {
  readonly text: string
  readonly shown: readonly string[]
}

function fromScript(code: string): readonly Written[] {
  const lines = code.replaceAll('\\\n', ' ').split('\n')
  return lines.filter((line) => !/^\s*(#|$)/.test(line)).map((text) => ({ text, shown: [] }))
}

function fromConsole(code: string): readonly Written[] {
  const written: { text: string; shown: string[] }[] = []
  for (const line of code.trimEnd().split('\n')) {
    if (line.startsWith('$ ')) written.push({ text: line.slice(2), shown: [] })
    else written.at(-1)?.shown.push(line)
  }
  return written
}

/** What differs each time stands for itself: ids, hashes, instants, how long it took; so do blanks. `…` alone is any lines. */
export function pictureOf(lines: readonly string[]): RegExp {
  const parts = lines.map((line) => (line.trim() === '…' ? '(?:[^\\n]*\\n)*?' : `${escaped(plain(line))}\\n`))
  return new RegExp(`^${parts.join('')}$`)
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

export function plain(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b|\b[0-9a-f]{64}\b|\b(?=[a-f]*[0-9])[0-9a-f]{8}\b/g, 'ID')
    .replaceAll(/\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?|\b\d\d:\d\d:\d\d(\.\d+)?/g, 'TIME')
    .replaceAll(/\b\d+(\.\d+)? (ms|s|min|h|d)\b( \d+ (s|min|h)\b)?/g, 'TIME')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ $/gm, '')
}
