/**
 * How long the command takes to answer, against a Node that does nothing: people wait for it at every key stroke of
 * theirs. Processes are started in turn, so that a noisy machine hurts all alike; medians count.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { atMostRow, type BenchRow } from './row.ts'

const ROUNDS = 15
const COMMAND = join(ROOT, 'bin', 'keelson.js')

/** The same id at each call: a signal that is sent again counts once. */
const SIGNAL_ID = '6f6f1c6e-54f0-4b7a-9a39-0d6c1a1b2c3d'

/** Bare Node needs about 30 ms on a quiet machine, so that 4.3 times as long is the promise: 100 ms more. */
const ASKED: readonly (readonly [name: string, args: readonly string[], atMost: number])[] = [
  ['keelson --version', ['--version'], 1.6],
  ['keelson help', ['help'], 3],
  ['keelson runs', ['runs'], 3.6],
  ['keelson show', ['show', 'last'], 4.3],
  ['keelson signal', ['signal', 'last', 'pause', '--id', SIGNAL_ID], 4.3],
]

export async function benchColdStart(): Promise<readonly BenchRow[]> {
  await ensureBuilt()
  const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'))
  try {
    writeFileSync(join(folder, 'p.yaml'), 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, wait: { forMs: 1 } }\n')
    start([COMMAND, 'run', 'p.yaml'], folder)
    // A run that waits for its start, so that the signal has somebody to reach.
    start([COMMAND, 'run', 'p.yaml', '--queue'], folder)
    const bare: number[] = []
    const times = ASKED.map((): number[] => [])
    for (let round = -1; round < ROUNDS; round += 1) {
      const [empty, ...asked] = [['-e', '0'], ...ASKED.map(([, args]) => [COMMAND, ...args])].map((args) =>
        start(args, folder),
      )
      // The first round fills caches.
      if (round < 0) continue
      bare.push(empty ?? 0)
      asked.forEach((ms, index) => times[index]?.push(ms))
    }
    return ASKED.map(([name, , atMost], index) =>
      atMostRow(`cold start: ${name} against node -e 0`, 'ms', median(times[index] ?? []), median(bare), atMost),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function start(args: readonly string[], cwd: string): number {
  const began = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} exited with ${String(status)}: ${stderr}`)
  return performance.now() - began
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
