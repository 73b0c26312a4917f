/** The command as a person uses it: real processes, real files, what they print and how they exit. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ROOT } from '../../scripts/terminal.ts'
import { startChild } from '../fixtures/child.ts'
import { closeAfterEachTest } from '../fixtures/left-open.ts'
import { isFull } from '../setup/extent.ts'
import { keelsonHere } from './in-process.ts'

const BIN = join(ROOT, 'bin', 'keelson.js')
/** A condition is waited for, not a time: a machine under load only takes longer. */
const DEADLINE_MS = 120_000
const LOOK_MS = 20

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Of the environment, besides this process's own. */
export type Variables = Readonly<Record<string, string>>

const running = new Set<ChildProcess>()
const folders = new Set<string>()

closeAfterEachTest(async () => {
  for (const child of running) child.kill('SIGKILL')
  await until('all processes are gone', () => running.size === 0)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  folders.clear()
})

/** An empty folder with these files in it. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-e2e-'))
  folders.add(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`waited ${DEADLINE_MS} ms, but not: ${what}`)
    await pause(LOOK_MS)
  }
}

export class Command {
  readonly #child: ChildProcess
  readonly finished: Promise<Finished>
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], cwd: string, input?: string, variables: Variables = {}) {
    const { CI: _ci, NO_COLOR: _noColor, ...env } = process.env
    this.#child = startChild(process.execPath, [BIN, ...args], { cwd, env: { ...env, ...variables } }, input)
    running.add(this.#child)
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString('utf8')))
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')))
    this.finished = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        running.delete(this.#child)
        resolve({ code, stdout: this.stdout, stderr: this.stderr })
      })
    })
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Waits until the output so far matches. */
  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    return until(
      `${String(pattern)} in ${JSON.stringify(this.stdout + this.stderr)}`,
      () => pattern.exec(this.stdout) ?? undefined,
    )
  }
}

/** They read the store and print; nothing of them concerns the process, or is left in it. */
const LOOKS =
  /^(?:runs|ps|show|why|events|journal|evidence|signals|tasks|export|verify|plan (?:check|compile|hash|list|graph|diff))\b/

/** Where the runs are. Others, such as those about colours, are read once in a process. */
const PLACES = /^(?:TEMPORAL_|KEELSON_STORE$)/

/** A look is answered in this process, which is many times quicker; with KEELSON_TESTS=full it is a process like all others. */
export function keelson(
  args: readonly string[],
  cwd: string,
  input?: string,
  variables: Variables = {},
): Promise<Finished> {
  const areHere = input === undefined && Object.keys(variables).every((name) => PLACES.test(name))
  const isLook = LOOKS.test(args.join(' ')) && areHere
  return isLook && !isFull && !args.includes('--follow')
    ? keelsonHere(args, cwd, variables)
    : new Command(args, cwd, input, variables).finished
}

export function linesOf(text: string): readonly string[] {
  return text.trimEnd() === '' ? [] : text.trimEnd().split('\n')
}

export function jsonLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return linesOf(text).map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
}

/** Lines a step function appended to a file in the folder. */
export function sideLines(folder: string, name = 'side.txt'): readonly string[] {
  try {
    return linesOf(readFileSync(join(folder, name), 'utf8'))
  } catch {
    return []
  }
}
