/**
 * What must hold of a finished history beyond what the oracle checked record by record: the store holds every record
 * that was acknowledged and nothing else, chains verify, folds and views agree with each other and with the rows, and
 * everything acknowledged was decided, delivered by the feed (I11), and gave back what it held.
 */
import { checkFacts, type FactSources } from '../../src/app/rederive/check-facts.ts'
import { checkSides } from '../../src/app/sides/check-sides.ts'
import { recordOf } from '../../src/app/log/read-events.ts'
import { readCheckpoint, checkpointBody } from '../../src/app/loaded/load-run.ts'
import type { AskedFacts } from '../../src/app/rederive/rederive-decision.ts'
import { verifyChain } from '../../src/app/verify/chain.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { fail } from '../../src/core/problems/problem.ts'
import { evolve } from '../../src/core/run/evolve/evolve.ts'
import { foldEventOfRecord } from '../../src/core/run/fold-event.ts'
import { RULES_VERSION, type RunState } from '../../src/core/run/state/state.ts'
import { initialState } from '../../src/core/run/state/initial-state.ts'
import { summaryOf } from '../../src/core/run/summary.ts'
import { runMetaOf } from '../../src/core/view/fold/run-meta.ts'
import { incrementalProject, projectRun } from '../../src/core/view/project/project-run.ts'
import { emptyView } from '../../src/core/view/fold/run-view.ts'
import { viewFromText, viewToText } from '../../src/core/view/project/stored-view.ts'
import type { RunRow, StoredEvent } from '../../src/ports/run-store.ts'
import { checkAncestry } from './ancestry.ts'
import { checkDuties } from './duties.ts'
import { checkLiterally } from './literal.ts'
import { isEnd } from './oracle-tables.ts'
import { checkPinned } from './plan-publishing.ts'
import type { Rng } from './random.ts'
import type { RunTrack } from './run-track.ts'
import { checkLinks } from './value-links.ts'
import type { World } from './world.ts'
import { checkContext, canonical } from './invariants-context.ts'

export async function checkHistory(world: World, rng: Rng): Promise<void> {
  for (const track of world.tracks.values()) {
    const say = (what: string): void => world.complain(`${track.runId.slice(0, 8)} ${what}`)
    const stored = await allEvents(world, track)
    const row = await world.store.getRun(track.runKey)
    if (row === undefined) {
      say('I4 the run is gone')
      continue
    }
    checkStored(track, row, stored, say)
    const records = stored.flatMap((event) => {
      const record = recordOf(event)
      return record.ok ? [record.value] : []
    })
    if (records.length !== stored.length) say('I1 a stored record cannot be read')
    const folded = checkFold(world, track, row, records, rng, say)
    // The dear ones in turn: a defect in them shows in any log.
    if (rng.chance(0.5)) checkViews(track, row, records, rng, say)
    else if (rng.chance(0.7)) checkChain(stored, say)
    checkLiterally(track, records, say)
    const asked = checkFollows(track, records, say)
    if (rng.chance(0.3)) await checkFactsOf(world, track, { events: stored, records, asked }, say)
    await checkDrivers(world, track, row, folded, say)
    await checkContext(world, track, say)
    // What an auditor is told of everything beside the log: nothing, of a store that nobody touched.
    if (rng.chance(0.5)) await checkBeside(world, track, row, stored, say)
  }
  await checkGrants(world)
  world.feed?.check(world.tracks, (what) => world.complain(what))
  checkSignals(world)
  checkDuties([...world.tracks.values()], (what) => world.complain(what))
  checkAncestry([...world.tracks.values()], (what) => world.complain(what))
  checkChildren(world)
  checkLinks(world)
}

async function allEvents(world: World, track: RunTrack): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let page = await world.store.readEvents(track.runKey, {}); page.length > 0;) {
    events.push(...page)
    page = await world.store.readEvents(track.runKey, { afterSeq: page.at(-1)?.runSeq ?? 0 })
  }
  return events
}

export type Say = (what: string) => void

const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  Buffer.compare(a ?? new Uint8Array(), b ?? new Uint8Array()) === 0

function checkStored(track: RunTrack, row: RunRow, stored: readonly StoredEvent[], say: Say): void {
  if (stored.length !== track.sealed.length)
    say(`I4 ${track.sealed.length} records were committed, ${stored.length} are stored`)
  const wrong = stored.findIndex((event, index) => {
    const kept = track.sealed[index]
    return (
      kept === undefined ||
      event.record !== kept.record ||
      event.data !== kept.data ||
      !same(event.chainHash, kept.chainHash)
    )
  })
  if (wrong >= 0) say(`I1 record ${wrong + 1} is not what was committed`)
  if (!same(row.headHash, stored.at(-1)?.chainHash)) say('I1 the row names another head than the log')
  if (row.quarantine !== undefined) say(`the run was set aside: ${row.quarantine}`)
  if (row.epoch !== track.epoch) say(`I9 the row is at epoch ${row.epoch}, the commits at ${track.epoch}`)
}

function foldOf(start: RunState, records: readonly LogRecord[]): RunState {
  return records.reduce((state, record) => evolve(state, foldEventOfRecord(record)), start)
}

/** The product's own verification must agree; the world chained each record itself when it was committed. */
function checkChain(stored: readonly StoredEvent[], say: Say): void {
  const chain = verifyChain(stored)
  if (chain.broken !== undefined) say(`I1 the chain breaks at ${chain.broken.runSeq}: ${chain.broken.what}`)
}

async function checkBeside(
  world: World,
  track: RunTrack,
  row: RunRow,
  events: readonly StoredEvent[],
  say: Say,
): Promise<void> {
  const { plan, sha256 } = track.plan
  const loaded = { plan, graph: compileGraph(plan), sha256 }
  const report = await checkSides({ store: world.store, row, events, keys: [], plan: async () => loaded, whole: true })
  for (const { name, row: here, log } of report.row) {
    // Some worlds burn numbers, which no store that lasts does.
    if (name !== 'nextSeq') say(`verify: the row says ${name} ${here}, the log ${log}`)
  }
  for (const { message } of report.findings) say(`verify: ${message}`)
}

/** Every decision of the log follows from the log alone. Gives back the facts that they rest on. */
function checkFollows(track: RunTrack, records: readonly LogRecord[], say: Say): readonly AskedFacts[] {
  const { plan, sha256 } = track.plan
  const asked: AskedFacts[] = []
  const report = verifyDecisions(records, { plan, graph: compileGraph(plan), sha256 }, (one) => asked.push(one))
  const [first] = report.differences
  if (first !== undefined)
    say(`I6 #${first.runSeq} does not follow from ${first.cause}: expected ${first.expected}, found ${first.found}`)
  if (first === undefined && report.rederived !== report.decisions)
    say(`I6 ${report.notDerivable[0]?.why ?? 'a decision cannot be made again'}`)
  return asked
}

/** The product's own word on facts: it must be the same as that of the model of values, which has judged them all. */
async function checkFactsOf(
  world: World,
  track: RunTrack,
  log: Pick<FactSources, 'events' | 'records' | 'asked'>,
  say: Say,
): Promise<void> {
  const { plan, sha256 } = track.plan
  const blob = (name: string): Promise<string | undefined> => world.store.getBlob(track.runKey, name)
  const report = await checkFacts({ ...log, plan: { plan, graph: compileGraph(plan), sha256 }, blob })
  const [first] = report.differences
  if (first !== undefined) say(`P-05 #${first.runSeq}: ${first.expected}, found ${first.found}`)
}

/** Gives back the fold of the whole log as text. */
function checkFold(
  world: World,
  track: RunTrack,
  row: RunRow,
  records: readonly LogRecord[],
  rng: Rng,
  say: Say,
): string {
  const graph = compileGraph(track.plan.plan)
  const whole = foldOf(initialState(graph), records)
  const text = checkpointBody(whole)
  const cut = rng.int(0, records.length)
  const part = foldOf(initialState(graph), records.slice(0, cut))
  const stored = { body: checkpointBody(part), seq: part.seq, rulesVersion: RULES_VERSION }
  const restored = readCheckpoint(graph, stored) ?? fail('STORE_CORRUPT', 'a snapshot cannot be read back')
  if (JSON.stringify(summaryOf(restored)) !== JSON.stringify(summaryOf(part)))
    say(`I10 a snapshot at ${cut} waits for something else than the fold`)
  if (checkpointBody(foldOf(restored, records.slice(cut))) !== text)
    say(`I10 a snapshot at ${cut} and the rest fold to something else`)
  const summary = summaryOf(whole)
  for (const [name, value] of Object.entries(summary)) {
    if (row[name as keyof RunRow] !== value)
      say(`I10 the row's ${name} is ${String(row[name as keyof RunRow])}, the fold's ${String(value)}`)
  }
  if (world.scenario.burn === 0 && row.nextSeq !== whole.seq + 1)
    say(`I2 the row's next number is ${row.nextSeq} after ${whole.seq}`)
  return text
}

function checkViews(track: RunTrack, row: RunRow, records: readonly LogRecord[], rng: Rng, say: Say): void {
  const meta = runMetaOf(track.runId, compileGraph(track.plan.plan), 'embedded')
  const whole = viewToText(projectRun(meta, records).view)
  const restoredAt = rng.int(0, records.length)
  let view = emptyView(meta)
  for (let at = 0; at < records.length;) {
    const size = rng.int(1, 12)
    // A page may come twice; what lies below the watermark changes nothing.
    view = incrementalProject(view, records.slice(Math.max(0, at - rng.int(0, 2)), at + size)).view
    if (at <= restoredAt && restoredAt < at + size) view = viewFromText(viewToText(view), meta) ?? view
    at += size
  }
  if (canonical(viewToText(view)) !== canonical(whole)) say('I10 a view grown in pages differs from one folded whole')
  if (view.run.status !== row.status) say(`I10 the view says ${view.run.status}, the row ${row.status}`)
}

/** What a living driver holds in memory is the fold of the log, or it is not the driver. */
async function checkDrivers(world: World, track: RunTrack, row: RunRow, folded: string, say: Say): Promise<void> {
  for (const process of world.alive()) {
    if (process.stalledUntil > world.time.now) continue
    const run = await process.advancer.current(track.runKey)
    if (run.nextSeq !== row.nextSeq || run.epoch !== row.epoch) continue
    if (checkpointBody(run.state) !== folded) say(`I10 ${process.name} holds another state than the log`)
  }
}

/** By the books and by the store's own word: nothing is held, nobody waits (P-18). */
async function checkGrants(world: World): Promise<void> {
  if (world.scenario.pools.length === 0) return
  world.grants.checkEnd()
  for (const { runKey } of world.tracks.values()) {
    const { held, waits } = await world.store.readGrants(runKey)
    if (held.length > 0) world.complain(`P-18 run ${runKey} still holds ${held[0]?.slot ?? ''}`)
    if (waits.length > 0) world.complain(`P-19 run ${runKey} still waits for ${waits[0]?.slot ?? ''}`)
  }
  for (const { pool, used, waiting, windowMs } of await world.store.listPools())
    if ((used > 0 && windowMs === undefined) || waiting > 0)
      world.complain(`P-18 ${pool}: ${used} held, ${waiting} wait`)
}

function checkSignals(world: World): void {
  for (const { runKey, signalId } of world.people.signals) {
    const track = world.tracks.get(runKey)
    if (track?.oracle.model.signals.has(signalId) !== true)
      world.complain(`I4 the acknowledged signal ${signalId} of run ${runKey} was never decided`)
    const isAsked = world.people.undoing.has(signalId)
    const answer = track?.events.find(({ payload }) => payload['signalId'] === signalId && payload['applied'] === true)
    if (answer !== undefined && (answer.payload['undo'] === true) !== isAsked)
      world.complain(
        `ADR 0011 signal ${signalId} ${isAsked ? 'asks' : 'does not ask'} for undoing, its answer says otherwise`,
      )
  }
}

/** What a parent records of a child is what the child's own log says. */
function checkChildren(world: World): void {
  for (const child of world.tracks.values()) {
    const { parent } = child.create
    const track = parent === undefined ? undefined : world.trackOf(parent.runId)
    if (parent === undefined || track === undefined) continue
    checkPinned(child, track, (what) => world.complain(what))
    const attempt = track.oracle.model.slots.get(parent.slot)?.attempts[parent.attempt - 1]
    const { phase } = child.oracle.model
    const end = track.events.find(({ decision, eventType }) => {
      return decision.cause === `child:${child.runId}` && /^Compensation(Completed|Failed)$/.test(eventType)
    })
    if (end !== undefined && (end.eventType === 'CompensationCompleted') !== (phase === 'COMPLETED'))
      world.complain(`P-29 ${parent.slot} ended in ${end.eventType}, the run that undoes it is ${phase}`)
    if (attempt?.state === 'SUCCESS' && phase !== 'COMPLETED')
      world.complain(`P-29 ${parent.slot} succeeded, its child run is ${phase}`)
    if (attempt?.state === 'RUNNING' && isEnd(phase))
      world.complain(`P-29 ${parent.slot} still waits for its child run, which is ${phase}`)
  }
}
