/**
 * Runs the checker in Python over files. It shares no code with the product: what it knows is docs/reference/log.md. Where there is
 * no Python the tests that need it fail and say so; a check that is skipped in silence proves nothing.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from '../fixtures/child.ts'

export interface Checked {
  readonly file: string
  readonly whole: boolean
  readonly why?: string
  readonly events?: number
  readonly status?: string
  readonly anchors?: readonly string[]
}

const CHECKER = join(import.meta.dirname, 'check.py')
const OUTPUT_BYTES = 256 * 1024 * 1024

export function checkFiles(
  folder: string,
  files: readonly string[],
  options: readonly string[] = [],
): readonly Checked[] {
  const list = join(folder, 'files.txt')
  writeFileSync(list, files.map((file) => `${file}\n`).join(''))
  // -B: nothing is written beside the sources.
  const run = runChild('python3', ['-B', CHECKER, ...options, '--list', list], {
    maxBuffer: OUTPUT_BYTES,
  })
  if (run.error !== undefined)
    throw new Error(`the checker needs python3 on the PATH, and could not be started: ${run.error.message}`)
  const lines = run.stdout.trimEnd().split('\n')
  if (run.status === null || run.status > 1 || lines.length !== files.length)
    throw new Error(`the checker did not come to its end (exit ${run.status}): ${run.stderr}`)
  return lines.map((line) => JSON.parse(line) as Checked)
}
