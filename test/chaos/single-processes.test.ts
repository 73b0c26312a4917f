/**
 * Real worker processes on one PostgreSQL, one fault at a time and each at the moment where it hurts: a worker killed in
 * the middle of a step, stopped until another has its run, cut off between its commit and the answer to it.
 */
import { writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { startToxiproxy, type Toxiproxy } from '../setup/toxiproxy.ts'
import { Client } from './processes/client.ts'
import { Fleet, type FleetOptions } from './processes/fleet.ts'
import { gateOf } from './processes/handlers.ts'
import { readJournal, type CommitLine, type Effect, type LifeLine } from './processes/journal.ts'
import { fieldsOf, Look, readLog, type RecordFields } from './processes/look.ts'
import { stepSlotOf } from './processes/judge-log.ts'

const LEASE_MS = 1_500
const POLL_MS = 200
const LONG_MS = 60_000
const PATIENCE_MS = 120_000
const WAITING = `SELECT pid FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND query LIKE '%keelson.commit_run%' AND datname = current_database()`

let server: PostgresServer
let toxiproxy: Toxiproxy | undefined
let databases = 0
let url = ''
let look: Look
let fleet: Fleet | undefined
let client: Client | undefined

beforeAll(async () => {
  server = await startPostgres()
  toxiproxy = await startToxiproxy()
})
afterAll(async () => {
  await toxiproxy?.stop()
  await server.stop()
})
beforeEach(async () => {
  url = await server.createDatabase(`single_${++databases}`)
  look = await Look.open(url)
})
afterEach(async () => {
  await client?.close()
  await fleet?.scrap()
  await look.close()
  client = undefined
  fleet = undefined
})

async function muster(options: Pick<FleetOptions, 'leaseMs' | 'pollMs' | 'listen'>): Promise<Fleet> {
  fleet = new Fleet({ url, toxiproxy, ...options })
  client = await Client.open(url, fleet.folder)
  return fleet
}

async function startGated(): Promise<string> {
  if (client === undefined) throw new Error('there is no client yet')
  return client.start('gated', `request-${databases}`)
}

const effectsOf = (folder: string, stepId: string): readonly Effect[] =>
  readJournal<Effect>(folder, 'effects').filter((one) => one.stepId === stepId)

const begun = (folder: string, stepId: string, times: number): Promise<Effect> =>
  look.until(`'${stepId}' begun ${times} times`, PATIENCE_MS, () => effectsOf(folder, stepId)[times - 1])

async function logOf(runId: string): Promise<readonly RecordFields[]> {
  return (await readLog(look, runId)).map(fieldsOf)
}

/** The log, once an event of this type is in it. */
const logWith = (runId: string, eventType: string): Promise<readonly RecordFields[]> =>
  look.until(`${eventType} of ${runId}`, PATIENCE_MS, async () => {
    const log = await logOf(runId)
    return log.some((one) => one.eventType === eventType) ? log : undefined
  })

async function epochOf(runId: string): Promise<number> {
  const [row] = await look.rows('SELECT epoch FROM keelson.runs WHERE run_id = $1', [runId])
  return Number(row?.['epoch'])
}

const about = (log: readonly RecordFields[], stepId: string) => log.filter((one) => stepSlotOf(one) === stepId)
const twoLines = [
  ['StepStarted', 1],
  ['StepCompleted', 1],
]
const linesOf = (log: readonly RecordFields[], stepId: string) =>
  about(log, stepId).map(({ eventType, logicalAttemptId }) => [eventType, logicalAttemptId])

it('a step whose worker is killed twice in the middle of it has one attempt with one end, and what was done before is not done again [ATT-08, SSM-13, IDC-11, P-27]', async () => {
  const all = await muster({ leaseMs: LEASE_MS, pollMs: POLL_MS })
  const { folder } = all
  const workers = [await all.addWorker('one'), await all.addWorker('two'), await all.addWorker('three')]
  const runId = await startGated()
  for (let kill = 1; kill <= 2; kill++) {
    const { worker } = await begun(folder, 'gate', kill)
    await workers.find(({ name }) => name === worker)?.end('SIGKILL')
  }
  await begun(folder, 'gate', 3)
  writeFileSync(gateOf(folder, runId), '')
  const log = await logWith(runId, 'RunCompleted')
  expect(linesOf(log, 'gate')).toEqual(twoLines)
  const tries = effectsOf(folder, 'gate')
  expect(new Set(tries.map(({ worker }) => worker)).size).toBe(3)
  expect(tries.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
  expect(new Set(tries.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  expect(tries.map(({ engineAttempt }) => engineAttempt - (tries[0]?.engineAttempt ?? 0))).toEqual([0, 1, 2])
  expect(about(log, 'gate')[1]?.engineAttemptId).toBe(tries[2]?.engineAttempt)
  for (const step of ['first', 'last']) expect(effectsOf(folder, step).length).toBe(1)
})

it('a worker stopped until another has taken its run is refused when it comes back, and learns that the run is not its own [X-87]', async () => {
  const all = await muster({ leaseMs: LEASE_MS, pollMs: POLL_MS })
  const { folder } = all
  const zombie = await all.addWorker('zombie')
  await all.areUp(zombie)
  const runId = await startGated()
  await begun(folder, 'gate', 1)
  const epoch = await epochOf(runId)
  zombie.send('SIGSTOP')
  await all.addWorker('heir')
  const { worker } = await begun(folder, 'gate', 2)
  expect(worker).toBe('heir')
  expect(await epochOf(runId)).toBe(epoch + 1)
  // Only the zombie finds the gate open. No event was written since it stopped: nothing but the epoch is in its way.
  writeFileSync(gateOf(folder, runId, 'zombie'), '')
  zombie.send('SIGCONT')
  const loss = await look.until('the loss', PATIENCE_MS, () =>
    readJournal<LifeLine>(folder, 'lives').find(({ kind, worker: who }) => kind === 'lost' && who === 'zombie'),
  )
  expect(about(await logOf(runId), 'gate').length).toBe(1)
  writeFileSync(gateOf(folder, runId, 'heir'), '')
  const log = await logWith(runId, 'RunCompleted')
  expect(loss.detail).toContain('RUN_EPOCH_STALE')
  expect(linesOf(log, 'gate')).toEqual(twoLines)
  expect(about(log, 'gate')[1]?.engineAttemptId).toBe(effectsOf(folder, 'gate')[1]?.engineAttempt)
})

it('a commit that was made and whose answer was lost is found in the log, and the run goes on from there without a second execution [P-10]', async (context) => {
  if (toxiproxy === undefined) return context.skip('toxiproxy is not to be had here')
  const all = await muster({ leaseMs: LONG_MS, pollMs: POLL_MS })
  const { folder } = all
  const worker = await all.addWorker('only')
  const runId = await startGated()
  await begun(folder, 'gate', 1)
  // The run's row is held, so that the commit waits on the server while the way back is cut.
  const holder = await Look.open(url)
  await holder.rows('BEGIN')
  await holder.rows('SELECT 1 FROM keelson.runs WHERE run_id = $1 FOR UPDATE', [runId])
  writeFileSync(gateOf(folder, runId), '')
  await look.until('the commit waiting on the server', PATIENCE_MS, async () => (await look.rows(WAITING))[0])
  await worker.proxy?.spoil({ type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } })
  await holder.rows('COMMIT')
  await holder.close()
  await look.until('the outcome in the store', PATIENCE_MS, async () =>
    about(await logOf(runId), 'gate').length === 2 ? true : undefined,
  )
  expect(readJournal<Effect>(folder, 'effects').some(({ stepId }) => stepId === 'last')).toBe(false)
  await worker.proxy?.heal()
  const log = await logWith(runId, 'RunCompleted')
  const doubts = readJournal<CommitLine>(folder, 'commits').filter(({ phase }) => phase === 'in doubt')
  const hashes = new Set((await readLog(look, runId)).map(({ chainHash }) => chainHash.toString('hex')))
  expect(doubts.some((one) => one.hashes.length > 0 && one.hashes.every((hash) => hashes.has(hash)))).toBe(true)
  expect(linesOf(log, 'gate')).toEqual(twoLines)
  for (const step of ['first', 'gate', 'last']) expect(effectsOf(folder, step).length).toBe(1)
})

it('a signal from another process is taken by the bell, long before the next poll [P-22]', async () => {
  const pollMs = 4_000
  const all = await muster({ leaseMs: LONG_MS, pollMs })
  const { folder } = all
  await all.areUp(await all.addWorker('listener'))
  const runId = await startGated()
  await begun(folder, 'gate', 1)
  const times: number[] = []
  for (const [signal, event] of [
    ['PAUSE', 'RunPaused'],
    ['RESUME', 'RunResumed'],
  ] as const) {
    const sent = Date.now()
    await client?.signal(runId, signal)
    await logWith(runId, event)
    times.push(Date.now() - sent)
  }
  console.log(
    `a signal from another process was answered after ${times.join(' and ')} ms; a poll comes every ${pollMs}`,
  )
  // Two signals, one poll at most in that time: without the bell one of them would wait for most of a poll.
  expect(Math.max(...times)).toBeLessThan(pollMs / 3)
})
