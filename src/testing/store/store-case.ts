/**
 * What a case of the store suite receives and uses: an empty store, a clock set by hand, and helpers for common
 * actions.
 */
import assert from 'node:assert/strict'
import { isProblemCode } from '../../core/problems/registry.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  CommitResult,
  NewRun,
  RunCommit,
  RunKey,
  RunRow,
  RunStore,
  SealedEvent,
  StoredEvent,
} from '../../ports/run-store.ts'
import { newRun, summary } from './run-fixtures.ts'
import { sealEvents, type EventSpec } from './sealed-events.ts'

export interface ManualClock extends Clock {
  advance(ms: number): void
}

export interface World {
  readonly store: RunStore
  readonly clock: ManualClock
  /** True when the store uses its own clock, such as its server's. */
  readonly ownClock: boolean
  /** The store opened again, where the harness can do that. */
  reopen(): Promise<RunStore>
}

export interface StoreCase {
  /** A sentence, ending with the ids it proves. */
  readonly title: string
  run(world: World): Promise<void>
}

export const START_MS = 1_800_000_000_000

export function manualClock(start: number = START_MS): ManualClock {
  let time = start
  return {
    now: () => time,
    advance: (ms) => {
      time += ms
    },
  }
}

/** Creates a run and returns its row. */
export async function bootstrap(
  world: World,
  changes: Partial<NewRun> & { readonly runId: string },
  specs: readonly EventSpec[] = [{ eventType: 'RunStarted' }],
  extras: Partial<RunCommit> = {},
): Promise<RunRow> {
  const run = newRun(changes)
  const result = await commitOne(world.store, creation(run, specs, extras))
  assert.equal(result.kind, 'committed')
  return rowOf(world.store, result.kind === 'committed' ? result.runKey : 0)
}

export function creation(
  run: NewRun,
  specs: readonly EventSpec[] = [{ eventType: 'RunStarted' }],
  extras: Partial<RunCommit> = {},
): RunCommit {
  const events = sealEvents(run, { nextSeq: 1, headHash: new Uint8Array(32) }, specs)
  return { create: run, expected: { epoch: 1, nextSeq: 1 }, events, summary: summary(), ...extras }
}

/** A commit that fits the row as it was read. */
export function nextCommit(row: RunRow, specs: readonly EventSpec[], extras: Partial<RunCommit> = {}): RunCommit {
  const { runKey, epoch, nextSeq } = row
  return { runKey, expected: { epoch, nextSeq }, events: sealEvents(row, row, specs), summary: summary(), ...extras }
}

export async function commitOne(store: RunStore, commit: RunCommit): Promise<CommitResult> {
  const results = await store.commit([commit])
  assert.equal(results.length, 1)
  return results[0] ?? assert.fail('the commit gave no result')
}

export async function rowOf(store: RunStore, runKey: RunKey): Promise<RunRow> {
  return (await store.getRun(runKey)) ?? assert.fail(`there is no run with key ${runKey}`)
}

export async function allEvents(store: RunStore, runKey: RunKey): Promise<readonly StoredEvent[]> {
  return store.readEvents(runKey, { limit: 100_000 })
}

/** An event as text, so that kinds of byte arrays do not matter. */
export function bytesOf(event: SealedEvent): Readonly<Record<string, unknown>> {
  const { runSeq, eventType, record, data, terminalSlot } = event
  const hex = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : Buffer.from(bytes).toString('hex'))
  const [idempotencyKey, chainHash, salt] = [event.idempotencyKey, event.chainHash, event.salt].map(hex)
  return { runSeq, eventType, record, data, terminalSlot, idempotencyKey, chainHash, salt }
}

/** The log and the row of a run, to compare before and after. */
export async function stateOf(store: RunStore, runKey: RunKey): Promise<unknown> {
  const row = await rowOf(store, runKey)
  const events = await allEvents(store, runKey)
  return {
    row: { ...row, headHash: Buffer.from(row.headHash).toString('hex') },
    events: events.map((event) => ({ ...bytesOf(event), persistedAt: event.persistedAt })),
    inbox: await store.readInbox(runKey),
  }
}

export function step(eventType: string, slot: string, attempt = 1): EventSpec {
  return { eventType, slot, attempt, payload: { of: slot } }
}

/** The call must be refused with that code and no other. */
export async function refusedWith(code: string, call: () => Promise<unknown>): Promise<void> {
  assert.ok(isProblemCode(code), `${code} is not registered`)
  await assert.rejects(call, (error: unknown) => error instanceof Error && 'code' in error && error.code === code)
}
