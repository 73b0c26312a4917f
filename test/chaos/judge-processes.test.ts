/**
 * The judge is judged: a fleet without faults leaves nothing to complain of, and each wrong that is put into its tables or
 * its journals afterwards is found and named. A judge that finds nothing anywhere would prove nothing.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { Client } from './processes/client.ts'
import { Fleet } from './processes/fleet.ts'
import { readJournal, type CommitLine, type Effect, type Journal } from './processes/journal.ts'
import { judge } from './processes/judge.ts'
import { Look } from './processes/look.ts'
import { Poller } from './processes/poller.ts'

const PATIENCE_MS = 120_000
const ENDED = `SELECT count(*) AS count FROM keelson.runs WHERE status IN ('COMPLETED', 'FAILED')`

let server: PostgresServer
let fleet: Fleet
let look: Look
let poller: Poller
const runIds: string[] = []

beforeAll(async () => {
  server = await startPostgres()
  const url = await server.createDatabase('judged')
  fleet = new Fleet({ url, toxiproxy: undefined, leaseMs: 10_000, pollMs: 100 })
  look = await Look.open(url)
  poller = new Poller(look)
  const client = await Client.open(url, fleet.folder)
  const worker = await fleet.addWorker('worker')
  await fleet.areUp(worker)
  for (const plan of ['chain', 'saga', 'flaky', 'waiting', 'fan'] as const)
    runIds.push(await client.start(plan, plan, { items: [1, 2] }))
  await client.signal(runIds[0] ?? '', 'PAUSE')
  await client.signal(runIds[0] ?? '', 'RESUME')
  await look.until('the end of all', PATIENCE_MS, async () =>
    Number((await look.rows(ENDED))[0]?.['count']) === runIds.length ? true : undefined,
  )
  await client.close()
  await worker.end('SIGTERM')
  await poller.stop()
})
afterAll(async () => {
  await fleet.scrap()
  await look.close()
  await server.stop()
})

const violations = async (): Promise<readonly string[]> =>
  (await judge({ look, folder: fleet.folder, faults: [], orphans: [], poller })).violations

/** As it would be judged if this had happened in the store; it is taken back afterwards. */
async function withTables(...statements: readonly string[]): Promise<string> {
  await look.rows('BEGIN')
  try {
    await look.rows('ALTER TABLE keelson.events DISABLE TRIGGER ALL')
    for (const sql of statements) await look.rows(sql)
    return (await violations()).join('\n')
  } finally {
    await look.rows('ROLLBACK')
  }
}

async function withLine(name: Journal, line: object): Promise<string> {
  const path = join(fleet.folder, `${name}.jsonl`)
  const before = readFileSync(path)
  appendFileSync(path, `${JSON.stringify(line)}\n`)
  try {
    return (await violations()).join('\n')
  } finally {
    writeFileSync(path, before)
  }
}

const last = `(SELECT max(seq) FROM keelson.events WHERE run_key = 1)`
const someEffect = (): Effect => {
  const [first] = readJournal<Effect>(fleet.folder, 'effects')
  if (first === undefined) throw new Error('nobody acted')
  return first
}
const lastCommit = (): CommitLine => {
  const found = readJournal<CommitLine>(fleet.folder, 'commits').findLast(
    ({ runKey, hashes, phase }) => runKey === 1 && hashes.length > 0 && phase === 'answered',
  )
  if (found === undefined) throw new Error('nobody committed')
  return found
}

describe('the judge', () => {
  it('has nothing to say of a fleet without faults', async () => {
    expect(await violations()).toEqual([])
  })

  it.each([
    [
      'an event that is gone',
      [`DELETE FROM keelson.events WHERE run_key = 1 AND seq = ${last}`],
      'acknowledged and not there',
    ],
    [
      'a changed record',
      [`UPDATE keelson.events SET record = replace(record, 'chain', 'chaim') WHERE run_key = 1 AND seq = 2`],
      'the chain is broken',
    ],
    [
      'changed data',
      [`UPDATE keelson.events SET data = replace(data, 'worker', 'forger') WHERE data LIKE '%worker%'`],
      'the data hash is wrong',
    ],
    [
      'a gap in the numbers',
      [`UPDATE keelson.events SET seq = seq + 1 WHERE run_key = 1 AND seq = ${last}`],
      'the number is not',
    ],
    [
      'a run that was set aside',
      [`UPDATE keelson.runs SET quarantine = 'INVALID_TRANSITION' WHERE run_key = 2`],
      'was set aside',
    ],
    ['a run that never ends', [`DELETE FROM keelson.events WHERE event_type = 'RunFailed'`], 'has not ended'],
    [
      'a run that is gone',
      [`DELETE FROM keelson.events WHERE run_key = 3`, `DELETE FROM keelson.runs WHERE run_key = 3`],
      'was acknowledged and is not there',
    ],
  ])('finds %s', async (_, statements, expected) => {
    expect(await withTables(...statements)).toContain(expected)
  })

  it('finds a step that acted twice under one dispatch, and one that acted after its outcome', async () => {
    const effect = someEffect()
    expect(await withLine('effects', effect)).toContain('acted twice')
    const late = { ...effect, engineAttempt: 99, at: Date.now() + 10_000 }
    expect(await withLine('effects', late)).toContain('after its outcome was on record')
    expect(await withLine('effects', { ...effect, engineAttempt: 98, at: 1 })).toContain('acted before it was started')
  })

  it('finds a step that is on record as done although nobody did it', async () => {
    const path = join(fleet.folder, 'effects.jsonl')
    const before = readFileSync(path, 'utf8')
    writeFileSync(path, before.slice(before.indexOf('\n') + 1))
    const found = (await violations()).join('\n')
    writeFileSync(path, before)
    expect(found).toContain('nobody did it')
  })

  it('finds acknowledged starts and signals that are nowhere', async () => {
    const runId = '00000000-0000-4000-8000-000000000000'
    const start = { at: 1, kind: 'start', runId, id: 'nowhere', plan: 'chain' }
    expect(await withLine('acknowledgements', start)).toContain('was acknowledged and is not there')
    const signal = { at: 1, kind: 'signal', runId: runIds[0], id: runId, signalType: 'PAUSE' }
    expect(await withLine('acknowledgements', signal)).toContain('was answered 0 times')
  })

  it('finds a write under an epoch that was over', async () => {
    const commit = lastCommit()
    const sent = { ...commit, id: 'forged', phase: 'sent', epoch: commit.epoch - 1 }
    const path = join(fleet.folder, 'commits.jsonl')
    const before = readFileSync(path)
    appendFileSync(path, `${JSON.stringify(sent)}\n`)
    const found = await withLine('commits', { ...sent, phase: 'answered' })
    writeFileSync(path, before)
    expect(found).toContain(`written under epoch ${commit.epoch - 1}`)
  })
})
