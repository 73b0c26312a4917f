/** Helpers for cases about grants: turns of a run that claim, free and wait, and the state of pools and queues. */
import assert from 'node:assert/strict'
import type { GrantRefusal, GrantRelease, GrantRequest, GrantWait, PoolState } from '../../ports/grants.ts'
import type { CommitResult, RunCommit, RunRow, RunStore } from '../../ports/run-store.ts'
import { bootstrap, commitOne, nextCommit, rowOf, type World } from './store-case.ts'

export function want(
  slot: string,
  wants: Readonly<Record<string, number>>,
  changes: Partial<GrantRequest> = {},
): GrantRequest {
  return { slot, attempt: 1, wants, priority: 0, ...changes }
}

export function free(slot: string, result: GrantRelease['result'] = 'ok', attempt = 1): GrantRelease {
  return { slot, attempt, result }
}

/** A commit that contains only grants, on the run's current head. */
export async function turn(world: World, { runKey }: RunRow, extras: Partial<RunCommit>): Promise<CommitResult> {
  return commitOne(world.store, nextCommit(await rowOf(world.store, runKey), [], extras))
}

/** A turn that must be committed. */
export async function does(world: World, run: RunRow, extras: Partial<RunCommit>): Promise<void> {
  const result = await turn(world, run, extras)
  assert.equal(result.kind, 'committed', JSON.stringify(result))
}

/** A turn that must be refused; returns the reasons. */
export async function refusals(
  world: World,
  run: RunRow,
  claims: readonly GrantRequest[],
): Promise<readonly GrantRefusal[]> {
  const result = await turn(world, run, { claims })
  assert.ok(result.kind === 'ungranted', `the claim was answered ${result.kind}`)
  return result.refused
}

export async function poolState(store: RunStore, pool: string): Promise<PoolState> {
  const found = (await store.listPools()).find((one) => one.pool === pool)
  return found ?? assert.fail(`there is no pool ${pool}`)
}

export async function used(world: World, pool: string): Promise<number> {
  return (await poolState(world.store, pool)).used
}

export async function heldSlots(world: World, { runKey }: RunRow): Promise<readonly string[]> {
  return (await world.store.readGrants(runKey)).held.map(({ slot }) => slot)
}

export async function waitOf(world: World, { runKey }: RunRow, slot: string): Promise<GrantWait | undefined> {
  return (await world.store.readGrants(runKey)).waits.find((row) => row.slot === slot)
}

/** Slots with reserved units, as `<runId>/<slot>`. */
export async function offered(world: World, runs: readonly RunRow[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const { runKey, runId } of runs)
    for (const { slot, offeredUntil } of (await world.store.readGrants(runKey)).waits)
      if (offeredUntil !== undefined) found.push(`${runId}/${slot}`)
  return found
}

export async function inboxRows(world: World, { runKey }: RunRow): Promise<readonly string[]> {
  return (await world.store.readInbox(runKey)).map(({ inboxId }) => inboxId)
}

/**
 * Frees what `holder` holds, lets the slot that gets the offer claim it, and repeats until nobody waits. Returns the
 * order in which they were served.
 */
export async function servedOrder(
  world: World,
  holder: { readonly run: RunRow; readonly slot: string },
  runs: readonly RunRow[],
): Promise<readonly string[]> {
  const order: string[] = []
  for (let last = holder; ;) {
    await does(world, last.run, { releases: [free(last.slot)] })
    const [next, ...more] = await offered(world, runs)
    assert.deepEqual(more, [], 'one unit was offered to more than one')
    if (next === undefined) return order
    order.push(next)
    const run = runs.find(({ runId }) => next.startsWith(`${runId}/`)) ?? assert.fail(next)
    const slot = next.slice(run.runId.length + 1)
    const row = (await waitOf(world, run, slot)) ?? assert.fail(slot)
    await does(world, run, { claims: [want(slot, row.wants, { priority: row.priority })] })
    last = { run, slot }
  }
}

export const ONE = { p: 1 }

/** A pool `p` that the first run holds, and other runs. */
export async function scarce(world: World, capacity = 1): Promise<readonly [RunRow, RunRow, RunRow, RunRow]> {
  await world.store.putPool({ pool: 'p', capacity })
  const ids = ['r1', 'r2', 'r3', 'r4']
  const runs: RunRow[] = []
  for (const runId of ids) runs.push(await bootstrap(world, { runId }))
  const all = runs as [RunRow, RunRow, RunRow, RunRow]
  await does(world, all[0], { claims: [want('hold', { p: capacity })] })
  return all
}

/** Consumes every inbox row of a run, as `advance` does. */
export async function readInboxRows(world: World, run: RunRow): Promise<void> {
  const row = await rowOf(world.store, run.runKey)
  const consumed = (await inboxRows(world, run)).map((inboxId) => ({ inboxId, seq: row.nextSeq }))
  await does(world, run, { consumed })
}
