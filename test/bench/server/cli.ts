/**
 * `npm run bench:server`: what HTTP costs, as a share of the engine alone in the same run. The server is the real command in a process
 * of its own; so is the engine alone. `--for 3000` sets the milliseconds of each measure, `--json` prints one object.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { load } from './load.ts'
import { writeProject } from './project.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const CONCURRENCY = 64
/** Shares and times of design: starts at 60 % of the engine alone, accepted within 50 ms at the 99th percentile. */
const SHARE = 0.6
const ACCEPT_P99_MS = 50

const args = process.argv.slice(2)
const forMs = Number(args[args.indexOf('--for') + 1] ?? 3_000) || 3_000
const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-server-'))
writeProject(join(folder, 'project'))

const alone = Number(
  spawnSync(
    process.execPath,
    [join(ROOT, 'test/bench/server/engine-alone.ts'), join(folder, 'alone'), String(forMs), String(CONCURRENCY)],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  ).stdout,
)

const server = spawn(
  process.execPath,
  [
    join(ROOT, 'bin/keelson.js'),
    'serve',
    join(folder, 'project'),
    '--port',
    '0',
    '--json',
    '--dir',
    join(folder, 'state'),
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
const { url } = JSON.parse(line) as { readonly url: string }
const body = JSON.stringify({ planId: 'one' })
await load({ url, path: '/v1/executions', body, concurrency: CONCURRENCY, forMs: Math.min(forMs, 1_000) })
const accepted = await load({ url, path: '/v1/executions', body, concurrency: CONCURRENCY, forMs })
const sync = await load({ url, path: '/v1/executions?mode=sync', body, concurrency: 1, forMs: Math.min(forMs, 2_000) })
const rssBytes =
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid ?? 0}/status`, 'utf8'))?.[1] ?? 0) * 1_024
server.kill('SIGTERM')
await once(server, 'exit')
rmSync(folder, { recursive: true, force: true })

const report = {
  engineAlonePerSecond: Math.round(alone),
  startsPerSecond: Math.round(accepted.perSecond),
  share: Number((accepted.perSecond / alone).toFixed(2)),
  shareMet: accepted.perSecond / alone >= SHARE,
  acceptP50Ms: Number(accepted.p50Ms.toFixed(1)),
  acceptP99Ms: Number(accepted.p99Ms.toFixed(1)),
  acceptMet: accepted.p99Ms < ACCEPT_P99_MS,
  syncP50Ms: Number(sync.p50Ms.toFixed(2)),
  syncP99Ms: Number(sync.p99Ms.toFixed(2)),
  refused: accepted.refused + sync.refused,
  serverMegabytes: Math.round(rssBytes / 1_048_576),
}
if (args.includes('--json')) process.stdout.write(`${JSON.stringify(report)}\n`)
else for (const [name, value] of Object.entries(report)) process.stdout.write(`${name.padEnd(22)} ${String(value)}\n`)
