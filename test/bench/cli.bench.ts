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

/** Bare Node needs about 30 ms on a quiet machine, so that 5 times as long is the 150 ms of the promise. */
const ASKED: readonly (readonly [name: string, args: readonly string[], atMost: number])[] = [
  ['keelson --version', ['--version'], 2.5],
  ['keelson help', ['help'], 4],
  ['keelson runs', ['runs'], 5],
]

export async function benchColdStart(): Promise<readonly BenchRow[]> {
  await ensureBuilt()
  const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'))
  try {
    writeFileSync(join(folder, 'p.yaml'), 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, wait: { forMs: 1 } }\n')
    start([COMMAND, 'run', 'p.yaml'], folder)
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
