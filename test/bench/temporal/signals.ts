/**
 * How soon a signal takes effect on Temporal (TMP-06): several runs in the middle of a fan-out are paused and resumed again
 * and again; what counts is the time from the inbox row in the inbox to the event in the log, by the store's own clock.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { temporal } from '../../../src/adapters/engines/temporal/engine.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../../src/main.ts'
import type { RunStore } from '../../../src/ports/run-store.ts'
import { servicesOf } from '../../../src/library/services-of.ts'

const P99_TARGET_MS = 1_000
/** A run takes sixty signals in a minute. */
const RUNS = 4
const SIGNALS_A_RUN = 50
const STEP_MS = 50
const LOOK_MS = 5
/** So that steps start between a RESUME and the next PAUSE. */
const BETWEEN_MS = 100

export interface SignalRow {
  readonly signals: number
  readonly runs: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly target: number
  readonly met: boolean
}

const PLAN = loadPlan(
  JSON.stringify({
    plan: 'bench-signals',
    version: '1.0.0',
    policy: { concurrency: 10 },
    steps: [{ id: 'all', run: 'work', forEach: 'input.items' }],
  }),
)

export async function measureSignals(address: string): Promise<SignalRow> {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-bench-signals-'))
  const engine = temporal({ address, taskQueue: 'bench-signals' })
  const keelson = await openKeelson({ directory, steps: { work: () => pause(STEP_MS) }, engine })
  try {
    const items = Array.from({ length: 5_000 }, (_, n) => n)
    const runs = await Promise.all(Array.from({ length: RUNS }, () => keelson.start(PLAN, { items })))
    const times = (await Promise.all(runs.map((run) => pausedAndResumed(keelson, run)))).flat()
    await Promise.all(runs.map((run) => run.cancel()))
    await Promise.all(runs.map((run) => run.result()))
    return rowOf(times)
  } finally {
    await keelson.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function pausedAndResumed(keelson: Keelson, run: RunHandle): Promise<readonly number[]> {
  const { store } = servicesOf(keelson)
  const times: number[] = []
  // A run that has not begun refuses to be paused.
  while ((await store.getRun(run.row.runKey))?.status !== 'RUNNING') await pause(LOOK_MS)
  for (let count = 0; count < SIGNALS_A_RUN; count += 1) {
    await pause(BETWEEN_MS)
    times.push(await effectOf(store, run, count % 2 === 0 ? 'PAUSE' : 'RESUME'))
  }
  return times
}

async function effectOf(store: RunStore, run: RunHandle, signalType: 'PAUSE' | 'RESUME'): Promise<number> {
  const { runKey } = run.row
  const signalId = randomUUID()
  const before = (await store.getRun(runKey))?.nextSeq ?? 1
  await run.signal(signalType, {}, { signalId })
  const eventType = signalType === 'PAUSE' ? 'RunPaused' : 'RunResumed'
  for (;;) {
    const events = await store.readEvents(runKey, { afterSeq: before - 1 })
    if (events.some((one) => one.eventType === 'SignalRejected')) throw new Error(`${signalType} was refused`)
    const event = events.find((one) => one.eventType === eventType)
    const inboxRow = await store.findInbox(runKey, `signal:${signalId}`)
    if (event !== undefined && inboxRow !== undefined) return event.persistedAt - inboxRow.insertedAt
    await pause(LOOK_MS)
  }
}

function rowOf(times: readonly number[]): SignalRow {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.ceil(sorted.length * part) - 1] ?? 0
  const [p50Ms, p99Ms, maxMs] = [at(0.5), at(0.99), at(1)]
  const met = p99Ms < P99_TARGET_MS
  return { signals: times.length, runs: RUNS, p50Ms, p99Ms, maxMs, target: P99_TARGET_MS, met }
}

export function signalLine({ signals, runs, p50Ms, p99Ms, maxMs, target, met }: SignalRow): string {
  const times = `p50 ${p50Ms} ms, p99 ${p99Ms} ms, longest ${maxMs} ms`
  return `signal ${signals} of ${runs} runs: inbox row to event ${times} (p99 under ${target}: ${met ? 'met' : 'MISSED'})`
}
