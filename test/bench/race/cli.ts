/**
 * `npm run bench:race`: Keelson beside its peers on one disk and one PostgreSQL, each in a process of its own, one after
 * another, round after round; the median of the rounds counts. `--json` prints rows and targets, `--rounds n` and
 * `--for ms` make it longer or shorter, `--picture file.svg` draws it, names choose contenders. It publishes what is true: a missed target does not fail.
 */
import { execFile } from 'node:child_process'
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { Client } from 'pg'
import { ROOT, runNode } from '../../../scripts/terminal.ts'
import { startPostgres, type PostgresServer } from '../../setup/postgres.ts'
import { isPeer, rowsOf, type Laps } from './figures.ts'
import { CONTENDERS, type ContenderName, type Lap, type LapOptions } from './lap.ts'
import { installPeer, type Peer, type Versions } from './peers.ts'
import { pictureOf } from './picture.ts'
import { tableOf } from './report.ts'
import { judge } from './targets.ts'

const LAP = join(import.meta.dirname, 'lap.ts')
const SYNCS = 200
const BLOCK = Buffer.alloc(4096)
const OUTPUT_MAX = 64 * 1024 * 1024

interface LeftOut {
  readonly contender: ContenderName
  readonly problem: string
}

interface Entrants {
  readonly names: readonly ContenderName[]
  /** Of the peers, as they are installed. */
  readonly versions: Versions
}

/** Everybody who can take part; who cannot is told loudly and left out. */
function entrants(chosen: readonly string[], leftOut: LeftOut[]): Entrants {
  const versions: Record<string, string> = {}
  const names = Object.keys(CONTENDERS) as ContenderName[]
  const wanted = names.filter((name) => chosen.length === 0 || chosen.some((part) => name.includes(part)))
  const taking = wanted.filter((contender) => {
    if (!isPeer(contender)) return true
    const peer = packageOf(contender)
    const answer = installPeer(peer)
    if ('problem' in answer) say(leftOut, { contender, problem: `${peer} could not be installed: ${answer.problem}` })
    else Object.assign(versions, answer.versions)
    return !('problem' in answer)
  })
  return { names: taking, versions }
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }).version
}

async function serverVersion({ url }: PostgresServer): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ readonly server_version: string }>('SHOW server_version')
  await client.end()
  return rows[0]?.server_version ?? ''
}

function packageOf(contender: ContenderName): Peer {
  if (contender === 'restate') return '@restatedev/restate-sdk'
  return contender.startsWith('dbos') ? '@dbos-inc/dbos-sdk' : 'openworkflow'
}

function say(leftOut: LeftOut[], one: LeftOut): void {
  leftOut.push(one)
  process.stderr.write(`\n*** ${one.contender} does not take part: ${one.problem} ***\n\n`)
}

async function lapOf(contender: ContenderName, round: number, forMs: number, server: PostgresServer): Promise<Lap> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-race-'))
  const name = `race_${contender.replaceAll('-', '_')}_${round}`
  const place = contender.endsWith('postgres') ? await server.createDatabase(name) : folder
  const options: LapOptions = { contender, place, forMs }
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [LAP, JSON.stringify(options)], {
      cwd: folder,
      maxBuffer: OUTPUT_MAX,
    })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Lap
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the disk takes for a small durable append at that moment: the floor under everybody. */
function syncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-race-'))
  const file = openSync(join(folder, 'floor'), 'w')
  const times = Array.from({ length: SYNCS }, () => {
    writeSync(file, BLOCK)
    const began = performance.now()
    fdatasyncSync(file)
    return performance.now() - began
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return times.sort((a, b) => a - b)[SYNCS / 2] ?? 0
}

interface Raced {
  readonly laps: Laps
  readonly syncMs: readonly number[]
  readonly postgres: string
}

async function race(
  names: readonly ContenderName[],
  rounds: number,
  forMs: number,
  leftOut: LeftOut[],
): Promise<Raced> {
  const server = await startPostgres()
  const postgres = await serverVersion(server)
  const laps = new Map<ContenderName, Lap[]>(names.map((name) => [name, []]))
  const floors: number[] = []
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, own] of laps) {
        floors.push(syncMs())
        process.stderr.write(`round ${round + 1} of ${rounds}: ${name}\n`)
        try {
          own.push(await lapOf(name, round, forMs, server))
        } catch (thrown) {
          laps.delete(name)
          say(leftOut, { contender: name, problem: thrown instanceof Error ? thrown.message : String(thrown) })
        }
      }
    }
  } finally {
    await server.stop()
  }
  return { laps, syncMs: floors, postgres }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      for: { type: 'string', default: '3000' },
      picture: { type: 'string' },
    },
  })
  // What is raced is what is here now, as a user has it.
  const { code, output } = await runNode(join(ROOT, 'scripts', 'build.ts'), [], false)
  if (code !== 0) throw new Error(output)
  const leftOut: LeftOut[] = []
  const { names, versions: peers } = entrants(positionals, leftOut)
  const { laps, syncMs: floors, postgres } = await race(names, Number(values.rounds), Number(values.for), leftOut)
  const { node, sqlite = '' } = process.versions
  const versions = { keelson: ownVersion(), ...peers, Node: node, SQLite: sqlite, PostgreSQL: postgres }
  const rows = rowsOf(laps)
  const judged = judge(rows)
  if (values.picture !== undefined) writeFileSync(values.picture, pictureOf(rows))
  if (!values.json) return void process.stdout.write(tableOf({ versions, rows, laps, judged }))
  const machine = { versions, cores: cpus().length, syncMs: floors }
  const during = [...laps].map(([contender, own]) => ({ contender, rounds: own.map((lap) => lap.during) }))
  process.stdout.write(`${JSON.stringify({ machine, rows, during, targets: judged, leftOut }, undefined, 2)}\n`)
}

await main()
