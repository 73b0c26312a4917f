/**
 * `npm run bench:soak`: one process under a mixed load for an hour (`--minutes n`, `--per-second n`): single steps, chains, fan-outs, retries,
 * waits, pauses and cancellations. A line for each minute tells how long one lone step took, what the process holds after a collection, and
 * how long the write-ahead log is. At the end a verdict: memory and times are what they were at the beginning, or the command fails. `--json`
 * prints all of it as JSON.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openKeelson } from '../../../src/main.ts'
import { LONE, OTHERS, STEPS } from './loads.ts'
import { percentile } from './percentile.ts'
import { verdictOf, type Minute, type Verdict } from './verdict.ts'

const MINUTE_MS = 60_000
const BYTES = 1_000_000
/** Behind by so many runs, the load waits: this is no test of overload. */
const UNDER_WAY_MOST = 2_000

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    'per-second': { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
})
if (globalThis.gc === undefined) throw new Error('start it with --expose-gc, as npm run bench:soak does')
const directory = mkdtempSync(join(tmpdir(), 'keelson-soak-'))
const keelson = await openKeelson({ directory, steps: STEPS, smallHeap: true })
const lone = LONE(keelson)
const loads = [lone, ...OTHERS.map((load) => load(keelson))]

let underWay = 0
let failed: unknown

function begin(run: () => Promise<void>): void {
  underWay += 1
  run()
    .catch((thrown: unknown) => (failed ??= thrown))
    .finally(() => (underWay -= 1))
}

async function oneMinute(minute: number, perSecond: number): Promise<Minute> {
  const times: number[] = []
  const began = performance.now()
  let runs = 0
  while (performance.now() - began < MINUTE_MS) {
    if (failed !== undefined) throw failed
    if (underWay < UNDER_WAY_MOST) {
      begin(loads[runs % loads.length] ?? lone)
      runs += 1
    }
    const due = began + (runs * 1000) / perSecond
    const from = performance.now()
    await lone()
    times.push(performance.now() - from)
    runs += 1
    await pause(Math.max(0, due - performance.now()))
  }
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const sizeOf = (end: string): number =>
    Math.round((statSync(join(directory, `keelson.db${end}`), { throwIfNoEntry: false })?.size ?? 0) / BYTES)
  return {
    minute,
    runs,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    p999: percentile(times, 0.999),
    liveMb: Math.round(heapUsed / BYTES),
    residentMb: Math.round(rss / BYTES),
    walMb: sizeOf('-wal'),
    storeMb: sizeOf(''),
  }
}

function lineOf({ minute, runs, p50, p99, p999, liveMb, residentMb, walMb, storeMb }: Minute): string {
  const times = `${p50.toFixed(2)} / ${p99.toFixed(1)} / ${p999.toFixed(1)} ms`
  return `minute ${minute}: ${runs} runs, lone step ${times}, live ${liveMb} MB, resident ${residentMb} MB, log ${walMb} MB, store ${storeMb} MB\n`
}

function verdictLine({ name, beginning, end, atMost, ok }: Verdict): string {
  const [from, to, limit] = [beginning, end, atMost].map((one) => one.toFixed(1))
  return `${ok ? '✔' : '✖'} ${name}: ${from} in the first fifth, ${to} in the last, at most ${limit}\n`
}

async function main(): Promise<void> {
  const minutes: Minute[] = []
  // The first loads and compiles.
  await oneMinute(0, Number(values['per-second']))
  for (let minute = 1; minute <= Number(values.minutes); minute += 1) {
    const one = await oneMinute(minute, Number(values['per-second']))
    minutes.push(one)
    process.stderr.write(lineOf(one))
  }
  const verdict = verdictOf(minutes)
  const runs = minutes.reduce((sum, one) => sum + one.runs, 0)
  if (values.json) process.stdout.write(`${JSON.stringify({ minutes, verdict, runs }, undefined, 2)}\n`)
  else if (verdict.length === 0) process.stdout.write(`${runs} runs; too short for a verdict\n`)
  else process.stdout.write(`${runs} runs\n${verdict.map(verdictLine).join('')}`)
  process.exitCode = verdict.every(({ ok }) => ok) ? 0 : 1
}

try {
  await main()
} finally {
  await keelson.close()
  rmSync(directory, { recursive: true, force: true })
}
