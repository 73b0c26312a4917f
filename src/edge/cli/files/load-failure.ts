/**
 * Where a module has a syntax error: file, line and column, so that a person sees the line. Node puts it in the error's
 * stack, except for JavaScript modules: for those Node's own syntax check runs again.
 */
import { appendAll } from '../../../core/collections/append-all.ts'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Position } from '../../../core/problems/problem.ts'

/** `<file>:<line>`, some lines of source, and carets below the last of them. */
const MARKED = /^(\S.*):(\d+)\n(?:.*\n)*?([ \t]*)(\^+)[ \t]*\n/
/** For an unexpected end there is no place for a caret. */
const UNMARKED = /^(\S.*):(\d+)\n\s*SyntaxError/

/** Undefined for other errors: their message says more than the line that threw them. */
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

/** The file itself, else the first faulty one among the imports from its own folders. */
function checkedPlace(path: string): Position | undefined {
  const files = [path]
  for (let at = 0; at < files.length && at < FILES_MAX; at++) {
    const file = files[at] ?? path
    const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: CHECK_MS })
    const place = markedPlace(stderr)
    if (place !== undefined) return place
    appendAll(
      files,
      importsOf(file).filter((one) => !files.includes(one)),
    )
  }
  return undefined
}

function importsOf(file: string): readonly string[] {
  const names = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g)
  const found = [...names].map(([, name = '']) => resolve(dirname(file), name))
  return [...new Set(found)].filter((one) => existsSync(one))
}
