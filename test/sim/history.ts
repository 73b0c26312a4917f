/**
 * One history from its first event to its last: faults until the world heals, then everything must come to rest, then
 * what rests is resolved by people until every run has ended, and the judges look at all of it once more.
 */
import { createHash } from 'node:crypto'
import { createMemoryDisk, type MemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { FaultSource, type FiredFault } from './faults.ts'
import { SUBSCRIBER } from './feed-witness.ts'
import { checkHistory } from './invariants.ts'
import { openEventWaits, unheard } from './oracle-events.ts'
import { DECLARED, restOf } from './oracle-rest.ts'
import { isEnd } from './oracle-tables.ts'
import { Rng } from './random.ts'
import type { RunTrack } from './run-track.ts'
import type { Scenario } from './scenario.ts'
import { VirtualTime } from './virtual-time.ts'
import { World } from './world.ts'

export interface History {
  readonly violations: readonly string[]
  readonly fired: readonly FiredFault[]
  readonly points: number
  readonly crashes: number
  readonly events: number
  readonly executions: number
  readonly zombies: number
  readonly adoptions: number
  readonly staleDrivers: number
  readonly virtualMs: number
  /** Hash of every record, execution and instant: the same seed gives the same digest. */
  readonly digest: string
  readonly reached: ReadonlyMap<string, number>
  readonly statuses: readonly string[]
  readonly world: World
}

export interface HistoryOptions {
  /** Exact faults instead of the scenario's rates. */
  readonly faults?: readonly FiredFault[]
  /** Another disk than a fresh one in memory. */
  readonly openStore?: (time: VirtualTime) => Promise<RunStore>
  /** One more judge at the end. */
  readonly judge?: (world: World) => readonly string[]
}

/** After healing every run must be at rest within this much virtual time: long plans whose every attempt times out need most of it. */
const REST_WITHIN_MS = 90 * 60 * 1000
const STEPS_MAX = 30_000
const STEPS_AT_ONCE_MAX = 5000
const FEED_WITHIN_MS = 10 * 60 * 1000
const ROUNDS = 12

export async function runHistory(scenario: Scenario, options: HistoryOptions = {}): Promise<History> {
  const longestMs = scenario.leaseMs + 1000
  const faults =
    options.faults === undefined
      ? FaultSource.byRates(scenario.rates, new Rng(`faults ${scenario.seed}`), longestMs)
      : FaultSource.exactly(options.faults)
  const time = new VirtualTime()
  const disk: MemoryDisk | undefined = options.openStore === undefined ? createMemoryDisk() : undefined
  const clock = { now: () => time.now }
  const store =
    (await options.openStore?.(time)) ??
    openMemoryStore({ clock, ...(disk === undefined ? {} : { disk }), burn: scenario.burn })
  const world = new World(scenario, faults, time, store, disk)
  for (const definition of scenario.pools) await world.declare(definition)
  scenario.processes.forEach(({ startMs, skewMs }, index) =>
    index === 0 ? world.boot(skewMs) : world.after(startMs, () => world.boot(skewMs)),
  )
  scenario.runs.forEach(({ atMs, delayMs }, index) => world.people.start(index, atMs, delayMs))
  scenario.acts.forEach((act, index) => world.people.act(act, index))
  const healAt = time.now + scenario.healMs
  const settleOnce = options.faults?.length
  const atOnceMax = STEPS_AT_ONCE_MAX * (scenario.patience ?? 1)
  while (time.nextAt() <= healAt && (await time.step())) {
    // What rests is only polled any more, and a list of faults that is used up will not go on.
    if (time.stepsNow > atOnceMax) break
    if (time.nextAt() === time.now) continue
    if (settleOnce !== undefined && faults.fired.length === settleOnce && world.people.busy === 0) break
    if (await isAtRest(world)) break
  }
  if (time.stepsNow > atOnceMax) world.complain('I12 somebody asks again and again without a pause')
  faults.healed = true
  await settle(world)
  if (scenario.fork && world.violations.length === 0) await forkAndSettle(world)
  if (world.violations.length === 0) await feedToEnd(world)
  if (world.violations.length === 0) await checkHistory(world, new Rng(`checks ${scenario.seed}`))
  for (const what of options.judge?.(world) ?? []) world.complain(what)
  return summaryOf(world)
}

async function isAtRest(world: World): Promise<boolean> {
  return world.people.busy === 0 && (await unsettled(world)).length === 0
}

/** Runs until everything rests; what rests is resolved, until everything has ended. */
async function settle(world: World): Promise<void> {
  for (let round = 0; world.violations.length === 0; round += 1) {
    if (!(await rest(world))) return
    const open = [...world.tracks.values()].filter(({ oracle }) => !isEnd(oracle.model.phase))
    if (open.length === 0) return
    if (round >= ROUNDS + 3) {
      world.complain(
        `I12 cancelled, and still not ended: ${open.map((track) => `${track.runId.slice(0, 8)} ${restOf(track.oracle.model)}`).join(', ')}`,
      )
      return
    }
    for (const { runId, oracle } of open) {
      const lost = unheard(oracle.model, world.people.events)
      if (lost !== undefined) world.complain(`${runId.slice(0, 8)} ${lost}`)
    }
    for (const track of open) await resolve(world, track, round >= ROUNDS)
  }
}

/** False when something did not come to rest in time: a violation of liveness. */
async function rest(world: World): Promise<boolean> {
  const { time } = world
  const until = time.now + REST_WITHIN_MS
  const limit = time.steps + STEPS_MAX * (world.scenario.patience ?? 1)
  for (;;) {
    const left = world.people.busy > 0 ? undefined : await unsettled(world)
    if (left !== undefined && left.length === 0) return true
    if (time.now > until || time.steps > limit || !(await time.step())) {
      world.complain(`I12 not at rest: ${left === undefined ? 'people wait for an answer' : left.join(', ')}`)
      return false
    }
    // Most steps change nothing that matters here: look again when time has moved or a few have passed.
    for (let more = 0; more < 8 && time.nextAt() <= time.now; more += 1) await time.step()
  }
}

async function unsettled(world: World): Promise<string[]> {
  const left: string[] = []
  for (const track of world.tracks.values()) {
    const standing = restOf(track.oracle.model)
    if (!DECLARED.includes(standing) || (standing === 'child' && !hasLiveChild(world, track)))
      left.push(`${track.runId.slice(0, 8)} ${standing}`)
    else if ((await world.store.readInbox(track.runKey)).length > 0) {
      if (standing !== 'ended') left.push(`${track.runId.slice(0, 8)} has inbox rows`)
      else if (world.faults.healed) await endedInboxRows(world, track)
    }
  }
  return left
}

/** Waiting for a child run is a wait only while there is one. */
function hasLiveChild(world: World, parent: RunTrack): boolean {
  return [...world.tracks.values()].some(
    ({ create, oracle }) => create.parent?.runId === parent.runId && !isEnd(oracle.model.phase),
  )
}

/** Nobody drives an ended run: inbox rows to it are decided by whoever looks at it next. */
async function endedInboxRows(world: World, track: RunTrack): Promise<void> {
  const nudged = world.people.nudge(track.runKey).then(() => true)
  for (let steps = 0; steps < 5000; steps += 1) {
    if (await Promise.race([nudged, Promise.resolve(false)])) return
    await world.time.step()
  }
  world.complain('I12 inbox rows to an ended run are not taken')
}

async function resolve(world: World, track: RunTrack, forGood: boolean): Promise<void> {
  const row = await world.store.getRun(track.runKey)
  if (row === undefined) return
  const { model } = track.oracle
  const rng = new Rng(`resolve ${world.scenario.seed} ${track.oracle.lastSeq}`)
  const standing = restOf(model)
  let errand: Promise<void> | undefined
  if (forGood) errand = world.people.signal(row, 'CANCEL', rng.chance(0.3) ? { undo: true } : {})
  else if (standing === 'paused') errand = world.people.signal(row, 'RESUME', {})
  else if (standing === 'event') errand = sendAll(world, track)
  else if (standing === 'manual') errand = world.people.complete(track.runKey, undefined)
  else if (standing === 'held') {
    const stepId = rng.pick(model.failedSteps())
    errand = world.people.signal(row, rng.pick(['RETRY_STEP', 'SKIP_STEP', 'SKIP_STEP']), { stepId })
  }
  if (errand === undefined) return
  await untilDone(world, errand)
}

/** An event for each wait of a run that rests. */
async function sendAll(world: World, { runKey, oracle }: RunTrack): Promise<void> {
  const sent = openEventWaits(oracle.model).map(({ slot, attempt }) =>
    world.people.send(`${runKey} ${slot.name} ${attempt.n}`, attempt.eventKey ?? '', true),
  )
  await Promise.all(sent)
}

/** Steps the world until somebody's errand is over, or nothing is left that could move it. */
async function untilDone(world: World, errand: Promise<unknown>): Promise<void> {
  const state = { done: false }
  void errand.finally(() => {
    state.done = true
  })
  while (!state.done && (await world.time.step()));
}

async function forkAndSettle(world: World): Promise<void> {
  const ended = [...world.tracks.values()].find(({ create }) => create.parent === undefined)
  if (ended === undefined || !isEnd(ended.oracle.model.phase)) return
  // Again of the same run, and of its fork: what one of them undid is gone for the others too.
  for (const again of [0, 1, 2]) {
    const before = [...world.tracks.values()].filter(({ create }) => create.parent === undefined)
    const old = again === 2 ? (before.findLast(({ create }) => create.originalRunId !== undefined) ?? ended) : ended
    if (world.violations.length > 0 || !isEnd(old.oracle.model.phase)) return
    await untilDone(world, world.people.fork(old.runKey))
    await settle(world)
    if (!world.scenario.forkAgain) return
  }
}

/** Followers that live come to the end of the feed within a while (I11). */
async function feedToEnd(world: World): Promise<void> {
  const { feed, store, time } = world
  if (feed === undefined) return
  const until = time.now + FEED_WITHIN_MS
  while ((await store.feedStatus(SUBSCRIBER)).runsBehind > 0) {
    if (time.now > until || !(await time.step())) return world.complain('I11 the follower never came to the end')
  }
}

function summaryOf(world: World): History {
  const { faults, effects } = world
  const tracks = [...world.tracks.values()]
  return {
    violations: world.violations,
    fired: faults.fired,
    points: faults.points.store,
    crashes: world.crashes,
    events: tracks.reduce((sum, track) => sum + track.events.length, 0),
    executions: effects.all.length,
    zombies: effects.zombies,
    adoptions: world.adoptions,
    staleDrivers: world.staleDrivers,
    virtualMs: world.elapsed,
    digest: digestOf(world, tracks),
    reached: reachedIn(world, tracks),
    statuses: tracks.map(({ oracle }) => oracle.model.phase),
    world,
  }
}

function digestOf({ effects, time, faults }: World, tracks: readonly RunTrack[]): string {
  const hash = createHash('sha256')
  for (const track of tracks) for (const sealed of track.sealed) hash.update(sealed.chainHash)
  for (const { slot, attempt, engineAttempt, ended } of effects.all)
    hash.update(`${slot}#${attempt}.${engineAttempt} ${ended}\n`)
  return hash.update(`${time.now} ${time.steps} ${faults.points.store}`).digest('hex')
}

/** What this history came by, for the check that exploring is not in vain (E3). */
function reachedIn(world: World, tracks: readonly RunTrack[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const fault of world.faults.fired) count(`fault ${fault.kind}`)
  for (const { events, oracle } of tracks) {
    for (const [name, times] of oracle.values.met)
      counts.set(`value ${name}`, times + (counts.get(`value ${name}`) ?? 0))
    for (const event of events) {
      count(`event ${event.eventType}`)
      if (event.decision.firstSeq === event.runSeq) count(`input ${event.decision.cause.split(':')[0] ?? ''}`)
      if (event.eventType === 'SignalAccepted') count(`accepted ${String(event.payload['signalType'])}`)
      if (event.payload['undo'] === true) count('accepted CANCEL with undo')
      if (event.payload['undo'] === true && oracle.model.undone.done > 0) count('undone by CANCEL')
      if (event.payload['receivedEvent'] !== undefined) count('received event')
      if (event.payload['forEvent'] !== undefined) count('wait for an event')
      if (event.eventType === 'SignalRejected') count(`rejected ${String(event.payload['reasonCode'])}`)
      if (event.eventType === 'StepFailed')
        count(`error ${(event.payload['error'] as { errorClass: string }).errorClass}`)
    }
  }
  for (const name of ['crashes', 'adoptions', 'staleDrivers', 'refusedCommits'] as const)
    for (let n = 0; n < world[name]; n += 1) count(`world ${name}`)
  const { grants, feed, helping } = world
  const met = {
    'grants refused': grants.refusals,
    'grants offers that ran out': grants.lapsed,
    'grants waits passed over': grants.mostBypassed,
    'grants starving': grants.mostBypassed >= 10 ? 1 : 0,
    'feed deliveries': feed?.deliveries ?? 0,
    'feed repeats': feed?.repeats ?? 0,
    'inbox rows outcomes': world.inboxRows,
    'helping hands': helping.handedIn,
  }
  for (const [name, times] of Object.entries(met)) if (times > 0) counts.set(name, times)
  return counts
}
