/**
 * A process that boots with 200,000 waiting runs beside one with 1,000: ready as soon, a due run woken as soon, within 150
 * MB, and nothing kept of tens of thousands more that it starts and that wait. What waits is a row; it is folded by nobody.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import type { BootOptions, BootTold } from './processes/boot.ts'
import { atMostRow, type BenchRow } from './row.ts'
import { fillSqlite } from './stored-runs.ts'

const MANY = 200_000
const FEW = 1_000
const BOOTS = 5
const STARTED = 20_000
const RSS_MB_MAX = 150
const BOOT_LIMIT = 1.3
const HEAP_LIMIT = 1.5
const DUE_AFTER_MS = 500
const SCRIPT = join(import.meta.dirname, 'processes', 'boot.ts')

const SOON = loadPlan(`
plan: soon
version: 1.0.0
steps: [{ id: pause, wait: { forMs: ${DUE_AFTER_MS} } }]`)

export async function benchScaleBoot(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-boot-'))
  try {
    const [many, few] = [await waitingRuns(folder, MANY), await waitingRuns(folder, FEW)]
    const told: { readonly many: BootTold[]; readonly few: BootTold[] } = { many: [], few: [] }
    for (let round = 0; round < BOOTS; round += 1) {
      told.few.push(await boot(few, 0))
      told.many.push(await boot(many, 0))
    }
    const starting = await boot(many, STARTED)
    const of = (boots: readonly BootTold[], what: keyof BootTold): number => median(boots.map((one) => one[what]))
    const name = 'boot with 200,000 waiting runs'
    return [
      atMostRow(`${name} ÷ 1,000, ready`, 'ms', of(told.many, 'readyMs'), of(told.few, 'readyMs'), BOOT_LIMIT),
      atMostRow(`${name} ÷ 1,000, due run woken`, 'ms', of(told.many, 'wokenMs'), of(told.few, 'wokenMs'), BOOT_LIMIT),
      atMostRow(`${name}, resident`, 'MB', of(told.many, 'rssMb'), RSS_MB_MAX, 1),
      atMostRow(
        'heap after 20,000 more long waits ÷ before',
        'MB',
        starting.startedHeapMb,
        starting.heapMb,
        HEAP_LIMIT,
      ),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A folder of the product with that many runs that wait for days. */
async function waitingRuns(folder: string, runs: number): Promise<string> {
  const directory = join(folder, String(runs))
  mkdirSync(directory)
  const path = join(directory, 'keelson.db')
  const store = await openSqliteStore({ path, clock: systemClock })
  await store.close()
  fillSqlite(path, { runs, waiting: true })
  return directory
}

async function boot(directory: string, start: number): Promise<BootTold> {
  const options: BootOptions = { directory, dueRunId: await leaveDueRun(directory), start }
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', SCRIPT, JSON.stringify(options)])
  return JSON.parse(stdout) as BootTold
}

/** A real run whose wait is over and whose process has gone. */
async function leaveDueRun(directory: string): Promise<string> {
  const keelson = await openKeelson({ directory, adopt: false })
  const { runId } = await keelson.start(SOON)
  await keelson.close()
  await pause(DUE_AFTER_MS)
  return runId
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
