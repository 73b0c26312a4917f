/**
 * The process that keeps the fleet busy: it starts runs of every plan, and pauses, resumes and cancels some of them. On
 * SIGTERM it resumes what it paused, and ends.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Rng } from '../../sim/random.ts'
import { Client } from './client.ts'
import { openJournal, type LifeLine } from './journal.ts'

export interface DriverOptions {
  readonly url: string
  readonly folder: string
  readonly seed: number
  readonly paceMs: number
  /** Starts nothing more while that many runs have not ended. */
  readonly most: number
}

const WEIGHTS = { chain: 4, fan: 2, flaky: 3, waiting: 2, saga: 3, parent: 2 } as const
const PAUSED_MS = 400

async function steer(client: Client, rng: Rng, runId: string): Promise<void> {
  await pause(rng.int(0, 300))
  if (rng.chance(0.25)) return client.signal(runId, 'CANCEL')
  await client.signal(runId, 'PAUSE')
  await pause(PAUSED_MS)
  await client.signal(runId, 'RESUME')
}

async function drive({ url, folder, seed, paceMs, most }: DriverOptions): Promise<void> {
  const tell = openJournal<LifeLine>(folder, 'lives')
  const rng = new Rng(`driver-${seed}`)
  const client = await Client.open(url, folder)
  tell({ at: Date.now(), worker: 'driver', kind: 'up', detail: `driver/${process.pid}` })
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  const steering: Promise<void>[] = []
  for (let number = 1; !stop.signal.aborted; number++) {
    const items = Array.from({ length: rng.int(2, 6) }, (_, index) => index)
    const runId = await client.start(rng.weighted(WEIGHTS), `request-${number}`, { items })
    if (rng.chance(0.2)) steering.push(steer(client, new Rng(`steer-${seed}-${number}`), runId))
    do await pause(paceMs)
    while (!stop.signal.aborted && (await client.unfinished(most)) >= most)
  }
  await Promise.all(steering)
  await client.close()
}

await drive(JSON.parse(process.argv[2] ?? '') as DriverOptions)
