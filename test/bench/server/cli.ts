/**
 * `npm run bench:server`: what HTTP costs, as a share of the engine alone in the same run, and what Temporal's development server and
 * Conductor do with the same start. The server is the real command in a process of its own; so is the engine alone. `--for 3000` sets
 * the milliseconds of each measure, `--streams 10000` the idle streams, `--runs 100000` the stored runs that are listed; `--json`
 * prints one object.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { besideEngine } from './beside-engine.ts'
import { conductorStarts } from './conductor-starts.ts'
import { idleStreams } from './idle-streams.ts'
import { listPage } from './list-page.ts'
import { load } from './load.ts'
import { overload } from './overload.ts'
import { writeProject } from './project.ts'
import { servedProcess } from './served-process.ts'
import { temporalStarts } from './temporal-starts.ts'

const CONCURRENCY = 64
/** What the design asks for. */
const TARGET = { share: 0.6, acceptP99Ms: 50, streams: 10_000, streamsMegabytes: 400, listMs: 20 } as const

const args = process.argv.slice(2)
const numberOf = (option: string, otherwise: number): number => {
  const at = args.indexOf(option)
  return at === -1 ? otherwise : Number(args[at + 1]) || otherwise
}
const forMs = numberOf('--for', 3_000)
const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-server-'))
const project = join(folder, 'project')
writeProject(project)
const body = JSON.stringify({ planId: 'one' })
const rounded = (value: number): number => Number(value.toFixed(1))

async function starts(): Promise<object> {
  const server = await servedProcess(project, join(folder, 'state'))
  const { url } = server
  const path = '/v1/executions'
  const lap = { url, path, body, concurrency: CONCURRENCY, forMs: forMs / 2 }
  const accepted = await besideEngine(join(folder, 'alone'), lap)
  const sync = await load({ url, path: `${path}?mode=sync`, body, concurrency: 1, forMs: Math.min(forMs, 2_000) })
  const megabytes = server.megabytes()
  await server.stop()
  const temporal = await temporalStarts(CONCURRENCY, forMs)
  const conductor = await conductorStarts(CONCURRENCY, forMs)
  return {
    engineAlonePerSecond: Math.round(accepted.alonePerSecond),
    startsPerSecond: Math.round(accepted.startsPerSecond),
    share: Number(accepted.share.toFixed(2)),
    shareMet: accepted.share >= TARGET.share,
    acceptP50Ms: rounded(accepted.p50Ms),
    acceptP99Ms: rounded(accepted.p99Ms),
    acceptMet: accepted.p99Ms < TARGET.acceptP99Ms,
    syncP50Ms: rounded(sync.p50Ms),
    syncP99Ms: rounded(sync.p99Ms),
    refused: accepted.refused + sync.refused,
    serverMegabytes: megabytes,
    temporalStartsPerSecond: Math.round(temporal.perSecond),
    temporalP50Ms: rounded(temporal.p50Ms),
    temporalP99Ms: rounded(temporal.p99Ms),
    ...(conductor === undefined
      ? {}
      : {
          conductorStartsPerSecond: Math.round(conductor.perSecond),
          conductorP50Ms: rounded(conductor.p50Ms),
          conductorP99Ms: rounded(conductor.p99Ms),
        }),
  }
}

async function streams(): Promise<object> {
  const found = await idleStreams(project, join(folder, 'streams'), numberOf('--streams', TARGET.streams))
  const { streams: count, megabytesBefore, megabytesWith } = found
  return {
    idleStreams: count,
    idleStreamsMegabytesBefore: megabytesBefore,
    idleStreamsMegabytes: megabytesWith,
    idleStreamsMet: megabytesWith <= TARGET.streamsMegabytes,
  }
}

async function list(): Promise<object> {
  const storedRuns = numberOf('--runs', 100_000)
  const page = await listPage(project, join(folder, 'listed'), storedRuns, Math.min(forMs, 2_000))
  return {
    storedRuns,
    listP50Ms: rounded(page.p50Ms),
    listP99Ms: rounded(page.p99Ms),
    listMet: page.p50Ms < TARGET.listMs,
    listRefused: page.refused,
  }
}

const loadBefore = rounded(loadavg()[0] ?? 0)
try {
  const flooded = await overload(project, join(folder, 'flooded'), body, forMs)
  const report = { loadAverage: loadBefore, ...(await starts()), ...(await streams()), ...(await list()), ...flooded }
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify(report)}\n`)
  else
    for (const [name, value] of Object.entries(report))
      process.stdout.write(`${name.padEnd(28)} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
