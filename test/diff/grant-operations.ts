/** Operations of the differential test on grants: few pools, few runs, so that they are always short of units. */
import { isTerminalRun } from '../../src/core/run/state/transitions.ts'
import type { GrantRelease, GrantRequest, PoolDefinition } from '../../src/ports/grants.ts'
import type { CommitResult, RunCommit, RunRow, RunStore } from '../../src/ports/run-store.ts'
import { summary } from '../../src/testing/store/run-fixtures.ts'
import { nextCommit } from '../../src/testing/store/store-case.ts'
import { anyRow, commitMove, committed, refused, SLOTS, type Move, type Operations, type Scene } from './scene.ts'

type Wants = Readonly<Record<string, number>>

const POOLS: readonly [PoolDefinition, ...PoolDefinition[]] = [
  { pool: 'agent:x', capacity: 2, breaker: { failures: 2, openMs: 400 } },
  { pool: 'resource:db', capacity: 3 },
  { pool: 'resource:api', capacity: 2, windowMs: 500 },
]

/** What a slot wants never changes, as in a plan. */
const WANTS: Readonly<Record<(typeof SLOTS)[number], Wants>> = {
  a: { 'agent:x': 1 },
  b: { 'agent:x': 1, 'resource:db': 1 },
  c: { 'resource:db': 3 },
  'd[1]': { 'resource:api': 1, 'resource:db': 2 },
  ü: { 'resource:db': 1 },
}

/** A slot has one attempt at a time. */
const attemptOf = ({ runKey }: RunRow): number => 1 + (runKey % 2)

function anyRequest({ chance }: Scene, row: RunRow): GrantRequest {
  const slot = chance.pick(SLOTS)
  const priority = chance.below(3) === 0 ? (row.runKey % 3) - 1 : 0
  const wants = chance.below(20) === 0 ? { nowhere: 1 } : WANTS[slot]
  return { slot, attempt: attemptOf(row), wants, priority }
}

/** Each slot and attempt once. */
function anyRequests(scene: Scene, row: RunRow, max: number): readonly GrantRequest[] {
  const requests = Array.from({ length: 1 + scene.chance.below(max) }, () => anyRequest(scene, row))
  return [...new Map(requests.map((one) => [`${one.slot}#${one.attempt}`, one])).values()]
}

/** Only what a pool knows can be waited for. */
function anyWaits(scene: Scene, row: RunRow): readonly GrantRequest[] {
  return anyRequests(scene, row, 4).filter(({ wants }) => !('nowhere' in wants))
}

function anyReleases({ chance }: Scene, row: RunRow): readonly GrantRelease[] {
  return Array.from({ length: 1 + chance.below(6) }, () => ({
    slot: chance.pick(SLOTS),
    attempt: chance.below(8) === 0 ? 9 : attemptOf(row),
    result: chance.pick(['ok', 'failed', 'failed', 'neutral']),
  }))
}

/** A run that has ended neither claims nor comes back to life. */
function openRow(scene: Scene): RunRow {
  return anyRow({ ...scene, rows: scene.rows.filter(({ status }) => !isTerminalRun(status)) })
}

/** A commit of nothing but grants, of a run that goes on. */
function grantsOf(row: RunRow, extras: Partial<RunCommit>): RunCommit {
  return nextCommit(row, [], { summary: summary(), ...extras })
}

function mixed(scene: Scene): RunCommit {
  const { chance } = scene
  const row = openRow(scene)
  return grantsOf(row, {
    ...(chance.below(2) === 0 ? { releases: anyReleases(scene, row) } : {}),
    ...(chance.below(2) === 0 ? { claims: anyRequests(scene, row, 2) } : {}),
    ...(chance.below(2) === 0 ? { waits: anyWaits(scene, row) } : {}),
  })
}

function claimOf(scene: Scene): RunCommit {
  const row = openRow(scene)
  return grantsOf(row, { claims: anyRequests(scene, row, 2) })
}

/** Somebody takes a unit and gives it back, time and again, so that those who wait for more are passed over. */
function passersBy(scene: Scene): Move {
  const row = openRow(scene)
  const one = { slot: 'quick', attempt: 1, wants: WANTS['ü'], priority: 0 }
  const release = { ...one, result: 'ok' as const }
  const call = async (store: RunStore) => {
    const answers: CommitResult[] = []
    for (let n = 0; n < 5; n++) {
      answers.push(...(await store.commit([grantsOf(row, { claims: [one] })])))
      answers.push(...(await store.commit([grantsOf(row, { releases: [release] })])))
    }
    return answers
  }
  return { call, succeeded: (answer) => committed(answer) && !refused('ungranted')(answer) }
}

export const GRANT_OPERATIONS: Operations = {
  putPool: (scene) => {
    const { chance } = scene
    const one = chance.pick(POOLS)
    const capacity = one.capacity + (chance.below(4) === 0 ? chance.below(3) - 1 : 0)
    const ifAbsent = chance.below(3) > 0
    return { call: (store) => store.putPool({ ...one, capacity }, { ifAbsent }) }
  },
  claim: (scene) => commitMove([claimOf(scene)], committed),
  claimRefused: (scene) => commitMove([claimOf(scene)], refused('ungranted')),
  release: (scene) => {
    const row = openRow(scene)
    return commitMove([grantsOf(row, { releases: anyReleases(scene, row) })], committed)
  },
  endOfRun: (scene) => {
    const ended = summary({ status: scene.chance.pick(['COMPLETED', 'CANCELLED']), endedAt: scene.now })
    return commitMove([grantsOf(openRow(scene), { releases: 'all', summary: ended })], committed)
  },
  wait: (scene) => {
    const row = openRow(scene)
    return commitMove([grantsOf(row, { waits: anyWaits(scene, row) })], committed)
  },
  takeOffer: (scene) => {
    const row = openRow(scene)
    const claimOffered = async (store: RunStore) => {
      const { waits } = await store.readGrants(row.runKey)
      const claims = waits.filter(({ offeredUntil }) => offeredUntil !== undefined)
      return claims.length === 0 ? [] : store.commit([grantsOf(row, { claims })])
    }
    return { call: claimOffered, succeeded: committed }
  },
  passersBy,
  grantBatch: (scene) => commitMove([mixed(scene), claimOf(scene), mixed(scene), mixed(scene)], committed),
  sweepGrants: () => ({ call: (store) => store.sweepGrants(), succeeded: (made) => made !== 0 }),
}
