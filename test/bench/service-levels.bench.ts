/**
 * The service levels of a server (PRF-04), scaled down: 1,000 runs a minute for fifteen seconds instead of four hours, one server on SQLite.
 * `KEELSON_BENCH=long` holds it for ten minutes. `test/levels/server.test.ts` holds the short one in every test run.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { atMostRow, type BenchRow } from './row.ts'
import { PLAN, writeProject } from './server/project.ts'
import { servedProcess } from './server/served-process.ts'

const EVERY_MS = 60
const FOR_MS = process.env['KEELSON_BENCH'] === 'long' ? 600_000 : 15_000
const PAUSES = 50

async function ask(
  url: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

/** Started by the clock, whether the one before was answered or not. */
async function steadyStarts(url: string): Promise<readonly number[]> {
  const times: number[] = []
  const open: Promise<void>[] = []
  const start = async (): Promise<void> => {
    const at = performance.now()
    const { status } = await ask(url, '/v1/executions', { planId: 'one' })
    times.push(status === 202 ? performance.now() - at : Infinity)
  }
  const began = performance.now()
  for (let next = 0; next < FOR_MS; next += EVERY_MS) {
    await pause(Math.max(0, began + next - performance.now()))
    open.push(start())
  }
  await Promise.all(open)
  return times
}

/** From the signal to the answer that says the run is paused. */
async function pauses(url: string): Promise<readonly number[]> {
  const times: number[] = []
  for (let count = 0; count < PAUSES; count += 1) {
    const { text } = await ask(url, '/v1/executions', { planId: 'waits' })
    const { executionId } = JSON.parse(text) as { readonly executionId: string }
    const at = performance.now()
    const signal = { signalId: randomUUID(), signalType: 'PAUSE', payload: { reason: 'bench' } }
    const sent = await ask(url, `/v1/executions/${executionId}/signals`, signal)
    if (sent.status >= 300) throw new Error(`PAUSE was answered ${sent.status}: ${sent.text}`)
    while (!(await ask(url, `/v1/executions/${executionId}`)).text.includes('"status":"PAUSED"')) await pause(1)
    times.push(performance.now() - at)
  }
  return times
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0
}

/** From the append of an event to its delivery to a subscriber, under the same load; in the process of the subscriber. */
async function deliveries(folder: string): Promise<readonly number[]> {
  const times: number[] = []
  await using keelson = await openKeelson({ directory: folder, steps: { work: () => 1 } })
  const subscription = keelson.subscribe('ledger', ({ record }) => {
    times.push(Date.now() - Date.parse(record.persistedAt))
  })
  const plan = loadPlan(PLAN)
  const began = performance.now()
  for (let next = 0; next < FOR_MS / 3; next += EVERY_MS) {
    await pause(Math.max(0, began + next - performance.now()))
    await (await keelson.start(plan)).result()
  }
  await subscription.drain()
  return times
}

/** Of a hundred writes, those that took longer than 10 ms. */
function slowWrites(metrics: string): number {
  const of = (label: string): number =>
    Number(new RegExp(`^dvt_statestore_write_duration_ms_${label} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0)
  const all = of('count')
  return ((all - of('bucket\\{le="10"\\}')) / all) * 100
}

export async function benchServiceLevels(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-levels-'))
  writeProject(join(folder, 'project'))
  const server = await servedProcess(join(folder, 'project'), join(folder, 'state'))
  try {
    await ask(server.url, '/v1/executions?mode=sync', { planId: 'one' })
    const starts = await steadyStarts(server.url)
    const metrics = (await ask(server.url, '/metrics')).text
    const paused = await pauses(server.url)
    const delivered = await deliveries(join(folder, 'feed'))
    const unanswered = starts.filter((took) => took === Infinity).length
    return [
      atMostRow(
        '1,000 runs a minute: starts not accepted, of a hundred',
        '',
        (unanswered / starts.length) * 100,
        0.5,
        1,
      ),
      atMostRow('1,000 runs a minute: request to persisted, p99', 'ms', p99(starts), 300, 1),
      atMostRow('1,000 runs a minute: writes over 10 ms, of a hundred', '', slowWrites(metrics), 1, 1),
      atMostRow('signal to paused, p99', 'ms', p99(paused), 1_000, 1),
      atMostRow('event to its subscriber, p99', 'ms', p99(delivered), 5_000, 1),
    ]
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
