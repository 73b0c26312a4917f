/**
 * Another tenant is as if it did not exist: whatever it does, with the same names for everything, this one is told the same
 * and has the same logs as in a world where the other never was. KEELSON_SEED repeats a game, KEELSON_GAMES plays more.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { isWhole } from '../../src/app/verify/verify-run.ts'
import { openKeelson, type Keelson } from '../../src/main.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { play, playerOf, STEPS, type Player } from '../fixtures/tenant-play.ts'
import { Rng } from '../sim/random.ts'
import { emptyStore, startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { SEED } from '../setup/seed.ts'

const GAMES = Number(process.env['KEELSON_GAMES'] ?? 2)
const MOVES = 14
const ACME = 'acme'
/** Also such as would read like the first one where names are put together carelessly. */
const OTHERS = ['globex', 'local', 'x@acme', 'acme/', 'tenant:4:acme/'] as const
const clock = { now: () => Date.now() }

let server: PostgresServer
let url = ''
beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase('noninterference')
})
afterAll(() => server.stop())

interface Stage {
  readonly open: (tenantId: string) => Promise<Keelson>
  readonly close: (keelson: Keelson) => Promise<void>
  readonly end: () => Promise<void>
}

function stageOf(kind: string): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-apart-'))
  const disk = createMemoryDisk()
  const opened = new Set<Keelson>()
  const storeOf = async (): Promise<RunStore> => {
    if (kind === 'memory') return openMemoryStore({ clock, disk })
    if (kind === 'postgres') return openPostgresStore({ connectionString: url })
    return openSqliteStore({ path: join(folder, 'keelson.db'), clock })
  }
  const open = async (tenantId: string): Promise<Keelson> => {
    const keysDirectory = join(folder, 'keys')
    const store = await storeOf()
    const keelson = await openKeelson({ store, directory: folder, keysDirectory, tenantId, steps: STEPS, pollMs: 20 })
    opened.add(keelson)
    return keelson
  }
  const close = async (keelson: Keelson): Promise<void> => {
    if (opened.delete(keelson)) await keelson.close()
  }
  const end = async (): Promise<void> => {
    for (const keelson of opened) await close(keelson)
    if (kind === 'postgres') await emptyStore(url)
    rmSync(folder, { recursive: true, force: true })
  }
  return { open, close, end }
}

/** The asynchronous half of a stack tells whether the loop turned in between. */
const CHANCE = /(?:At|Ms|Key|duration)$|^(?:salt|eventId|stack)$/i

/** What differs from one world to the next by chance or by the clock is made alike; made-up ids are numbered as they come. */
function alike<T>(value: T): T {
  const numbers = new Map<string, number>()
  const text = JSON.stringify(value, (key, part: unknown) => (CHANCE.test(key) ? undefined : part))
  return JSON.parse(
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
        numbers.set(id, numbers.get(id) ?? numbers.size + 1)
        return `#${String(numbers.get(id))}`
      })
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T')
      .replaceAll(/[0-9a-f]{64}/g, 'H')
      // Whose frames a stack has depends on when the loop turned.
      .replaceAll(/(?:\\n +at (?:[^"\\]|\\(?!n|"))*)+/g, ''),
  ) as T
}

async function endOf({ keelson, told, heard, mail }: Player, close: () => Promise<void>): Promise<unknown> {
  let read = 0
  const audit = keelson.subscribe('audit', () => void (read += 1), { pollMs: 60_000 })
  const runs = []
  const proofs = []
  for await (const row of keelson.runs()) {
    const records = await (await keelson.run(row.runId)).records()
    runs.push({ row: { ...row, headHash: '', lease: undefined }, records })
    const proof = await keelson.maintenance.verify(row)
    proofs.push([isWhole(proof), proof.decisions?.follows, proof.findings])
  }
  const tasks = []
  for await (const { runId, slot } of keelson.tasks()) tasks.push([runId, slot])
  await mail.drain()
  await audit.drain()
  const feeds = [await mail.status(), await audit.status(), read]
  expect(read).toBe(runs.reduce((sum, { records }) => sum + records.length, 0))
  // Listeners are told everything before it is closed.
  await close()
  const byRun = Map.groupBy(heard as string[][], ([kind, tenantId, runId]) => `${kind} ${tenantId} ${runId}`)
  const end = alike({ told, runs, proofs, tasks, feeds, heard: [...byRun.values()] })
  // Runs side by side are heard of in any order, each of them in its own.
  return { ...end, heard: end.heard.map((one) => JSON.stringify(one)).sort() }
}

async function worldWith(kind: string, seed: number, other: string | undefined): Promise<unknown> {
  const stage = stageOf(kind)
  try {
    const count = MOVES
    const mine = await playerOf(await stage.open(ACME), new Rng(`${seed} mine`), { of: ACME, hostile: false, count })
    const theirs =
      other === undefined
        ? undefined
        : await playerOf(await stage.open(other), new Rng(`${seed} theirs`), { of: other, hostile: true, count })
    for (let at = 0; at < count; at += 1) {
      if (theirs !== undefined) await play(theirs, theirs.moves[at])
      await play(mine, mine.moves[at])
    }
    return await endOf(mine, () => stage.close(mine.keelson))
  } finally {
    await stage.end()
  }
}

describe.each(['memory', 'sqlite', 'postgres'])('on the %s store', (kind) => {
  it.each(Array.from({ length: GAMES }, (_, game) => SEED + game))(
    'a tenant is told, hears and has on record what it would be without any other (seed %i)',
    async (seed) => {
      const alone = await worldWith(kind, seed, undefined)
      const beside = await worldWith(kind, seed, OTHERS[seed % OTHERS.length])
      expect(beside, `KEELSON_SEED=${seed}`).toEqual(alone)
    },
    120_000,
  )
})
