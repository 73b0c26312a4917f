/**
 * Who follows a page: a project that has the package installed, and one shell in which everything of the page is typed in its order.
 * Starting `npx` takes a second each time, so its way to the command is short here; what `npm` gets is there already, and a name
 * that no `npm install` of this package needs is refused. `walk.test.ts` types both for real.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ROOT } from '../../scripts/terminal.ts'
import { startChild } from '../fixtures/child.ts'
import { npmEnvironment } from '../setup/nodes.ts'
import type { Finished, Variables } from './command.ts'
import { commandsOf, isTyped, type Block, type Command } from './guide-page.ts'

const TYPED_MS = 170_000

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly peerDependencies: Readonly<Record<string, string>>
}

const NPM = `#!/bin/sh
verb="$1"; shift
case "$verb" in
  ci|init|pack|test) ;;
  install) for name; do case "$name" in
    ${['keelson', `*keelson-${MANIFEST.version}.tgz`, ...Object.keys(MANIFEST.peerDependencies)].join('|')}) ;;
    *) echo "there is no reason to install $name" >&2; exit 1 ;;
  esac; done ;;
  *) echo "npm $verb is not known here" >&2; exit 1 ;;
esac
`

export interface Ended {
  readonly at: string
  readonly text: string
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
  readonly wanted: Command
}

export class Reader {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly #told: string

  constructor(variables: Variables = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'keelson-guide-'))
    this.#told = mkdtempSync(join(tmpdir(), 'keelson-told-'))
    const bin = join(this.folder, 'node_modules', '.bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(this.folder, 'package.json'), '{ "type": "commonjs" }')
    symlinkSync(ROOT, join(this.folder, 'node_modules', 'keelson'))
    symlinkSync(process.execPath, join(bin, 'node'))
    const programs = {
      keelson: `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/bin/keelson.js' "$@"\n`,
      npx: '#!/bin/sh\nexec "$@"\n',
      npm: NPM,
    }
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(bin, name), text)
      chmodSync(join(bin, name), 0o755)
    }
    const { PATH = '', ...env } = npmEnvironment()
    this.env = { ...env, REPOSITORY: ROOT, ...variables, PATH: `${bin}${delimiter}${PATH}` }
  }

  writes(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text)
  }

  async types(script: string): Promise<Finished> {
    const child = startChild('bash', ['-c', script], { cwd: this.folder, env: this.env, timeout: TYPED_MS })
    const told = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk: Buffer) => (told.stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (told.stderr += chunk.toString()))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, ...told }
  }

  /** Files appear where the page prints them, and commands are typed between. What was not reached has no code. */
  async follows(blocks: readonly Block[]): Promise<{ readonly ended: readonly Ended[]; readonly beside: string }> {
    const lines: string[] = ['LEFT=""']
    const wanted: { readonly at: string; readonly command: Command }[] = []
    for (const block of blocks) {
      const at = `${block.page}:${block.line}`
      lines.push(...block.orders.first.map(must))
      if (block.orders.file !== undefined) {
        const source = join(this.#told, `${lines.length}.file`)
        writeFileSync(source, block.code)
        lines.push(must(`cp '${source}' '${block.orders.file}'`))
      }
      if (isTyped(block))
        for (const command of commandsOf(block)) {
          if (command.elsewhere !== undefined) continue
          if (command.before !== undefined) lines.push(must(command.before))
          lines.push(this.#typed(command, wanted.length))
          wanted.push({ at, command })
        }
      lines.push(...block.orders.after.map(must))
    }
    lines.push('for one in $LEFT; do kill -TERM "${one#*:}"; wait "${one#*:}"; echo $? >"$TOLD/${one%%:*}.code"; done')
    lines.push(...blocks.flatMap(({ orders }) => orders.finally.map(must)))
    const { stdout, stderr } = await this.types(`TOLD='${this.#told}'\n${lines.join('\n')}`)
    const ended = wanted.map(({ at, command }, index) => ({
      at,
      text: command.text,
      code: this.#codeOf(index),
      stdout: this.#heard(`${index}.out`),
      stderr: this.#heard(`${index}.err`),
      wanted: command,
    }))
    return { ended, beside: stdout + stderr }
  }

  #typed({ text, leaves }: Command, index: number): string {
    const into = `>"$TOLD/${index}.out" 2>"$TOLD/${index}.err"`
    if (leaves === undefined) return `{ ${text}\n} ${into}; echo $? >"$TOLD/${index}.code"`
    const shown = `grep -qF '${leaves}' "$TOLD/${index}.out"`
    return `( exec ${text}\n) ${into} & LEFT="$LEFT ${index}:$!"; until ${shown}; do kill -0 $! || exit 1; sleep 0.05; done`
  }

  #codeOf(index: number): number | undefined {
    const told = this.#heard(`${index}.code`)
    return told === '' ? undefined : Number(told)
  }

  #heard(name: string): string {
    const path = join(this.#told, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }

  leaves(): void {
    for (const folder of [this.folder, this.#told]) rmSync(folder, { recursive: true, force: true })
  }
}

/** What a page takes for granted, and cannot go on without. */
const must = (line: string): string => `{ ${line}\n} || exit 1`
