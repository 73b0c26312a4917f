/**
 * Where a module breaks the syntax: file, line and column, so that a person sees the line at fault. Node tells it in the
 * error's stack, except of JavaScript modules: those are asked for again, of Node's own syntax check.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Position } from '../../core/problems/problem.ts'

/** `<file>:<line>`, some lines of source, and carets below the last of them. */
const MARKED = /^(\S.*):(\d+)\n(?:.*\n)*?([ \t]*)(\^+)[ \t]*\n/
/** What ends too soon has no place below which a caret could be. */
const UNMARKED = /^(\S.*):(\d+)\n\s*SyntaxError/

/** Undefined for what is no syntax error: its own words say more than the line that threw it. */
export function placeOfSyntaxError(thrown: unknown, path: string): Position | undefined {
  if (!(thrown instanceof SyntaxError)) return undefined
  return markedPlace(thrown.stack ?? '') ?? checkedPlace(path)
}

function markedPlace(text: string): Position | undefined {
  const [, file, line, indent = '', carets = ''] = MARKED.exec(text) ?? UNMARKED.exec(text) ?? []
  if (file === undefined) return undefined
  return { file: shown(file), line: Number(line), column: indent.length + 1, length: Math.max(1, carets.length) }
}

function shown(file: string): string {
  return relative('.', file.startsWith('file:') ? fileURLToPath(file) : file)
}

const CHECK_MS = 10_000
const FILES_MAX = 100

/** The file itself, else the first at fault among those it imports from its own folders. */
function checkedPlace(path: string): Position | undefined {
  const files = [path]
  for (let at = 0; at < files.length && at < FILES_MAX; at++) {
    const file = files[at] ?? path
    const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: CHECK_MS })
    const place = markedPlace(stderr)
    if (place !== undefined) return place
    files.push(...importsOf(file).filter((one) => !files.includes(one)))
  }
  return undefined
}

function importsOf(file: string): readonly string[] {
  const names = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g)
  const found = [...names].map(([, name = '']) => resolve(dirname(file), name))
  return [...new Set(found)].filter((one) => existsSync(one))
}
