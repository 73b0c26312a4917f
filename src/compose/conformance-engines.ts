/**
 * The engines that `keelson conformance` knows, by name. To add one, add an entry to the table. Each entry of the
 * corpus opens its engine on its own SQLite file, which client and worker share because they are in this process;
 * shared resources, such as a server, are created before and ended in `close`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SimulatedTime } from '../adapters/engines/mock/simulated-time.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import type { PlayOptions } from '../app/conformance/play-entry.ts'
import { signalRun } from '../app/signals/signal-run.ts'
import { fail } from '../core/problems/problem.ts'
import type { RunHandle } from '../library/act/run-handle.ts'
import type { BenchRun, BenchWishes, ConformanceBench, ConformanceEngine } from '../ports/conformance.ts'
import type { Keelson } from '../library/keelson/keelson.ts'
import { openKeelson } from './open-keelson.ts'
import type { OpenOptions } from './open-options.ts'
import { servicesOf } from '../library/services-of.ts'

type OpenEngine = (name: string) => Promise<ConformanceEngine>

export const CONFORMANCE_ENGINES: Readonly<Record<string, OpenEngine>> = {
  /** SQLite in a temporary folder, the machine's clock. */
  embedded: async (name) => keelsonEngine(name),
  /** The same engine under a simulated clock, in memory. */
  mock: async (name) => ({ name, open: openMock, close: async () => undefined }),
  /** The server of TEMPORAL_ADDRESS, or one started for this purpose. */
  temporal: openTemporal,
}

const GRACE_MS = 100

/** A separate queue for each entry: a worker must not receive runs of another store. */
async function openTemporal(name: string): Promise<ConformanceEngine> {
  const { findTemporal, freePort, startTemporalServer, temporalEngine } = await import('./temporal-engine.ts')
  const given = process.env['TEMPORAL_ADDRESS'] ?? ''
  const server =
    given === '' ? await startTemporalServer({ program: findTemporal(), port: await freePort() }) : undefined
  const habits = ({ queues }: BenchWishes): OpenOptions => ({
    engine: temporalEngine({
      address: server?.address ?? given,
      taskQueue: `conformance-${systemRandom.uuid()}`,
      worker: { queues },
      shutdownGraceMs: GRACE_MS,
    }),
  })
  return keelsonEngine(name, habits, async () => server?.stop())
}

const PATIENCE_MS = 60_000

/** The machine's own clock and randomness, for playing entries. */
export const PLAYING: PlayOptions = { random: systemRandom, timers: systemTimers, patienceMs: PATIENCE_MS }

const POLL_MS = 20

/**
 * SQLite in a temporary folder for each entry, the machine's clock, and the options in `habits`: above all `engine`.
 */
export function keelsonEngine(
  name: string,
  habits: (wishes: BenchWishes) => OpenOptions = () => ({}),
  close: () => Promise<void> = async () => undefined,
): ConformanceEngine {
  return { name, open: (wishes) => openOnDisk(wishes, habits(wishes)), close }
}

async function openOnDisk(wishes: BenchWishes, habits: OpenOptions): Promise<ConformanceBench> {
  const handlers = wishes.handlers(systemTimers)
  return inTemporaryFolder(async (directory, onClose) => {
    const keelson = await openKeelson({ ...asAsked(wishes), handlers, directory, pollMs: POLL_MS, ...habits })
    return keelsonBench(keelson, { onClose })
  })
}

async function openMock(wishes: BenchWishes): Promise<ConformanceBench> {
  const time = new SimulatedTime()
  const handlers = wishes.handlers(time)
  return inTemporaryFolder(async (keysDirectory, onClose) => {
    const place = { directory: ':memory:', keysDirectory }
    const keelson = await openKeelson({ ...asAsked(wishes), handlers, engine: time, ...place })
    return keelsonBench(keelson, { hold: () => time.hold(), onClose })
  })
}

async function inTemporaryFolder<T>(open: (folder: string, remove: () => Promise<void>) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-conformance-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    return await open(folder, remove)
  } catch (thrown) {
    await remove()
    throw thrown
  }
}

function asAsked({ agents, resources, secrets, onChange }: BenchWishes): OpenOptions {
  return { agents, resources, secrets, onProgress: onChange }
}

interface BenchHabits {
  readonly hold?: () => () => void
  readonly onClose: () => Promise<void>
}

/** So that plans whose rules ask who made the run are played, too. */
const STARTED_BY = { actorId: 'starter' }

/** A bench on an open Keelson, whatever engine drives it. */
function keelsonBench(keelson: Keelson, { hold, onClose }: BenchHabits): ConformanceBench {
  return {
    start: async (plan, others, input) => {
      for (const other of others) await keelson.publish(other)
      return (await keelson.start(plan, input, STARTED_BY)).runId
    },
    signal: async (runId, { signalId, signalType, payload, allowed }) => {
      const handle = await keelson.run(runId)
      // The simulated time stands still during the call: no answer could come.
      if (allowed) await handle.signal(signalType, payload, { signalId, wait: false })
      else await sendDenied(keelson, handle, { signalId, signalType, payload })
    },
    sendEvent: async (event) => void (await keelson.send(event)),
    complete: async (runId, { slot, ...completion }) => {
      const handle = await keelson.run(runId)
      const task = (await handle.tasks()).find((one) => one.slot === slot)
      if (task === undefined) fail('TASK_NOT_OPEN', `'${slot}' has no open task`)
      await handle.completeTask({ completionToken: task.token, ...completion }, { wait: false })
    },
    fork: async (runId, options) => void (await keelson.fork(runId, { ...options, ...STARTED_BY })),
    runs: () => allRuns(keelson),
    ...(hold === undefined ? {} : { hold }),
    close: async () => {
      await keelson.close()
      await onClose()
    },
  }
}

/** Wakes nobody: the inbox row is found like one from another process. */
async function sendDenied(
  keelson: Keelson,
  { row }: RunHandle,
  request: Parameters<typeof signalRun>[2],
): Promise<void> {
  const sender = { actorId: 'mallory', actorRole: 'Viewer', allowed: false, reason: 'a viewer may only look' }
  await signalRun(servicesOf(keelson), { tenantId: row.tenantId, runId: row.runId }, request, sender)
}

async function allRuns(keelson: Keelson): Promise<readonly BenchRun[]> {
  const runs: BenchRun[] = []
  for await (const row of keelson.runs()) {
    const handle = await keelson.run(row.runId)
    const text =
      (await servicesOf(keelson).store.getPlan(row.tenantId, row.planSha256)) ?? fail('PLAN_NOT_FOUND', row.planSha256)
    const { runId, status, parent, originalRunId } = handle.row
    runs.push({
      runId,
      status,
      // The text was compiled and stored, so it is a plan.
      plan: JSON.parse(text) as BenchRun['plan'],
      ...(parent === undefined ? {} : { parent }),
      ...(originalRunId === undefined ? {} : { originalRunId }),
      records: await handle.records(),
    })
  }
  return runs.reverse()
}
