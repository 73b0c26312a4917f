/**
 * The engines `keelson conformance` knows, by name. To add one, add an entry to the table. Each entry of the corpus opens its
 * engine anew on a SQLite file of its own, which client and worker share because they are in this process; what entries
 * share, such as a server, is made before and ended in `close`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SimulatedTime } from './adapters/engines/mock/simulated-time.ts'
import { systemRandom } from './adapters/system/random.ts'
import { systemTimers } from './adapters/system/timers.ts'
import type { PlayOptions } from './app/conformance/play-entry.ts'
import { signalRun } from './app/signal-run.ts'
import { fail } from './core/problems/problem.ts'
import type { RunHandle } from './edge/library/run-handle.ts'
import type { BenchRun, BenchWishes, ConformanceBench, ConformanceEngine } from './ports/conformance.ts'
import { openKeelson, type Keelson, type OpenOptions } from './main.ts'

type OpenEngine = (name: string) => Promise<ConformanceEngine>

export const CONFORMANCE_ENGINES: Readonly<Record<string, OpenEngine>> = {
  /** SQLite in a temporary folder, the machine's clock. */
  embedded: async (name) => keelsonEngine(name),
  /** The same under a simulated clock, in memory. */
  mock: async (name) => ({ name, open: openMock, close: async () => undefined }),
  /** The server of TEMPORAL_ADDRESS, or one started for this. */
  temporal: openTemporal,
}

const GRACE_MS = 100

/** A queue of its own for each entry: a worker must not be given runs of another's store. */
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

/** The machine's own clock and randomness, for whoever plays entries. */
export const PLAYING: PlayOptions = { random: systemRandom, timers: systemTimers, patienceMs: PATIENCE_MS }

const POLL_MS = 20

/** SQLite in a temporary folder for each entry, the machine's clock, and whatever else `habits` say: `engine` above all. */
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

/** A bench on an open Keelson, whatever engine drives it. */
function keelsonBench(keelson: Keelson, { hold, onClose }: BenchHabits): ConformanceBench {
  const { store } = keelson.services
  return {
    start: async (plan, others, input) => {
      for (const { plan: other, sha256, text } of others) {
        const { planId, planVersion } = other.metadata
        await store.putPlan({ sha256, planId, planVersion, text })
      }
      return (await keelson.start(plan, input)).runId
    },
    signal: async (runId, { signalId, signalType, payload, allowed }) => {
      const handle = await keelson.run(runId)
      if (allowed) await handle.signal(signalType, payload, signalId)
      else await sendDenied(keelson, handle, { signalId, signalType, payload })
    },
    complete: async (runId, { slot, ...completion }) => {
      const handle = await keelson.run(runId)
      const task = (await handle.tasks()).find((one) => one.slot === slot)
      if (task === undefined) fail('TASK_NOT_OPEN', `'${slot}' has no open task`)
      await handle.completeTask({ completionToken: task.token, ...completion })
    },
    fork: async (runId, options) => void (await keelson.fork(runId, options)),
    runs: () => allRuns(keelson),
    ...(hold === undefined ? {} : { hold }),
    close: async () => {
      await keelson.close()
      await onClose()
    },
  }
}

/** Nobody is woken by hand: the letter is found as one from another process would be. */
async function sendDenied(
  keelson: Keelson,
  { row }: RunHandle,
  request: Parameters<typeof signalRun>[2],
): Promise<void> {
  const sender = { actorId: 'mallory', actorRole: 'Viewer', allowed: false, reason: 'a viewer may only look' }
  await signalRun(keelson.services, { tenantId: row.tenantId, runId: row.runId }, request, sender)
}

async function allRuns(keelson: Keelson): Promise<readonly BenchRun[]> {
  const runs: BenchRun[] = []
  for await (const row of keelson.runs()) {
    const handle = await keelson.run(row.runId)
    const text = (await keelson.services.store.getPlan(row.planSha256)) ?? fail('PLAN_NOT_FOUND', row.planSha256)
    const { runId, status, parent, originalRunId } = handle.row
    runs.push({
      runId,
      status,
      // What was compiled and stored is a plan.
      plan: JSON.parse(text) as BenchRun['plan'],
      ...(parent === undefined ? {} : { parent }),
      ...(originalRunId === undefined ? {} : { originalRunId }),
      records: await handle.records(),
    })
  }
  return runs.reverse()
}
