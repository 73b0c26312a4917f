/**
 * `npm run picture`: records docs/images/kill-and-resume.svg from a real session in a terminal: a run is killed half-way and resumed;
 * another fails, is undone, and is asked why. Needs `script` of util-linux for the terminal, and no network.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { movingPicture, type Frame } from './moving-picture.ts'
import { Screen, type Row } from './screen.ts'
import { requireNode, ROOT } from './terminal.ts'

const COLUMNS = 84
const HEIGHT = 21
const TARGET = join(ROOT, 'docs', 'images', 'kill-and-resume.svg')
const LABEL =
  'A terminal: an order is run and its process killed half-way; keelson resume completes it without repeating what was done; another order fails and is undone, and keelson why says why'
const KEY_MS = 45
const READ_MS = 1_600
const LAST_MS = 4_000
/** Two pictures within this time are one. */
const FRAME_MS = 120

requireNode()
const folder = mkdtempSync(join(tmpdir(), 'keelson-picture-'))
const screen = new Screen(COLUMNS, HEIGHT)
const frames: { rows: readonly Row[]; ms: number }[] = []

function show(ms: number): void {
  const rows = screen.rows()
  const last = frames.at(-1)
  if (last !== undefined && JSON.stringify(last.rows) === JSON.stringify(rows)) last.ms += ms
  else frames.push({ rows, ms })
}

function type(line: string): void {
  screen.write('\u001b[2m$\u001b[22m ')
  for (const part of line.match(/\S+\s*/g) ?? []) {
    screen.write(part)
    show(KEY_MS * part.length)
  }
  screen.write('\r\n')
}

/** Types a command; as soon as its output fits, its process is killed as by a power cut. */
async function session(args: string, killAt?: RegExp): Promise<void> {
  if (args !== 'init') type(`npx keelson ${args}`)
  const command = `echo pid:$$; stty cols ${COLUMNS} rows ${HEIGHT}; exec '${process.execPath}' '${ROOT}/bin/keelson.js' ${args}`
  const { CI: _ci, NO_COLOR: _plain, ...env } = process.env
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: folder,
    env: { ...env, TERM: 'xterm-256color', npm_command: 'exec' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let heard = ''
  let shownAt = performance.now()
  let isKilled = false
  child.stdout.on('data', (chunk: Buffer) => {
    const text = chunk.toString('utf8')
    heard += text
    const pid = Number(/pid:(\d+)/.exec(heard)?.[1] ?? 0)
    if (isKilled) return
    if (performance.now() - shownAt >= FRAME_MS) {
      show(Math.min(performance.now() - shownAt, READ_MS))
      shownAt = performance.now()
    }
    if (args !== 'init') screen.write(text.replace(/pid:\d+\r?\n/, ''))
    if (killAt?.test(heard) === true && pid > 0) {
      isKilled = true
      process.kill(pid, 'SIGKILL')
    }
  })
  await new Promise((resolve) => child.once('close', resolve))
  if (isKilled) screen.write('\u001b[31mKilled\u001b[39m\r\n')
  if (args !== 'init') show(READ_MS)
}

try {
  await session('init')
  await session('run plan.yaml', /✔[^\n]*charge/)
  await session('resume')
  await session('run plan.yaml --set dock=full')
  await session('why last')
  show(LAST_MS)
  writeFileSync(TARGET, movingPicture(frames as readonly Frame[], COLUMNS, LABEL))
  process.stdout.write(`wrote ${TARGET}: ${frames.length} frames\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
