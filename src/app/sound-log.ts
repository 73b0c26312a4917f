/**
 * How far the stored log of a run is sound: event after event, as a driver would read it, until the first that is missing,
 * altered, unreadable or does not follow. It tells why a run was set aside, and what a fork may still build on.
 */
import type { ForeignRecord } from '../core/events/event.ts'
import { KeelsonError } from '../core/problems/problem.ts'
import { evolve } from '../core/run/evolve.ts'
import { foldEventOfRecord } from '../core/run/fold-event.ts'
import { initialState, type RunState } from '../core/run/state.ts'
import type { RunKey, RunRow, RunStore, StoredEvent } from '../ports/run-store.ts'
import { damageOf } from './event-damage.ts'
import { FIRST_PREVIOUS } from './event-hashes.ts'
import type { LoadedPlan, PlanShelf } from './load-plan.ts'
import { recordOf } from './read-events.ts'
import { storedEvents } from './stored-events.ts'

export interface SoundLog {
  /** Number of the last event of the sound part; 0 when not even the first is. */
  readonly seq: number
  /** chainHash of that event. */
  readonly headHash: Uint8Array
  /** Absent when the plan cannot be read. */
  readonly plan?: LoadedPlan
  /** The fold of the sound part. */
  readonly state?: RunState
  /** What is wrong after it; undefined when the whole log is sound. */
  readonly damage?: string
}

/** With `upTo` nothing after that event is looked at. */
export async function readSoundLog(store: RunStore, plans: PlanShelf, row: RunRow, upTo = Infinity): Promise<SoundLog> {
  const found = await planOrDamage(plans, row)
  const plan = typeof found === 'string' ? undefined : found
  let state = plan === undefined ? undefined : initialState(plan.graph)
  let seq = 0
  let headHash: Uint8Array = FIRST_PREVIOUS
  let damage: string | undefined
  // After an erasure large values are gone, as they should be.
  const blobs = (await wasErased(store, row.runKey)) ? undefined : store
  for await (const stored of storedEvents(store, row.runKey)) {
    // What was written after the row was read is no part of what it names.
    if (stored.runSeq >= row.nextSeq || stored.runSeq > upTo) break
    const read = await readSound(blobs, row, { stored, seq, headHash })
    const next = typeof read === 'string' ? read : folded(state, read)
    if (typeof next === 'string') {
      damage = next
      break
    }
    state = next
    seq = stored.runSeq
    headHash = stored.chainHash
  }
  if (seq < upTo) damage ??= missingEnd(row, seq, headHash)
  damage ??= typeof found === 'string' ? found : undefined
  return {
    seq,
    headHash,
    ...(plan === undefined ? {} : { plan }),
    ...(state === undefined ? {} : { state }),
    ...(damage === undefined ? {} : { damage }),
  }
}

async function planOrDamage(plans: PlanShelf, row: RunRow): Promise<LoadedPlan | string> {
  try {
    return await plans.get(row.planSha256)
  } catch (thrown) {
    const isPlan = thrown instanceof KeelsonError && thrown.code.startsWith('PLAN_')
    if (isPlan) return thrown.problems[0]?.message ?? thrown.code
    throw thrown
  }
}

interface Place {
  readonly stored: StoredEvent
  /** Of the event before. */
  readonly seq: number
  readonly headHash: Uint8Array
}

type Blobs = Pick<RunStore, 'getBlob'> | undefined

async function readSound(blobs: Blobs, row: RunRow, place: Place): Promise<ForeignRecord | string> {
  const { stored, seq, headHash } = place
  if (stored.runSeq !== seq + 1) return `event ${seq + 1} is missing`
  const read = recordOf(stored)
  if (!read.ok) return lowered(read.problems[0]?.message ?? `event ${stored.runSeq} cannot be read`)
  const damaged = damageOf(stored, read.value, row, headHash) ?? (await lostBlob(blobs, row, read.value))
  return damaged === undefined ? read.value : `event ${stored.runSeq} ${damaged}`
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '')
}

export async function wasErased(store: RunStore, runKey: RunKey): Promise<boolean> {
  for await (const { eventType } of storedEvents(store, runKey)) if (eventType === 'ErasureRecorded') return true
  return false
}

/** Values that were too large for the event itself. */
async function lostBlob(blobs: Blobs, row: RunRow, { payload = {} }: ForeignRecord): Promise<string | undefined> {
  const captures = (payload['captures'] ?? []) as readonly { readonly ref?: unknown }[]
  const refs = [payload['inputRef'], payload['resultRef'], payload['outputRef'], ...captures.map(({ ref }) => ref)]
  for (const ref of refs as readonly ({ readonly sha256: string } | undefined)[]) {
    if (ref === undefined || blobs === undefined) continue
    if ((await blobs.getBlob(row.runKey, ref.sha256)) === undefined)
      return `names the stored value ${ref.sha256}, which is missing`
  }
  return undefined
}

function folded(state: RunState | undefined, record: ForeignRecord): RunState | string | undefined {
  if (state === undefined) return undefined
  try {
    return evolve(state, foldEventOfRecord(record))
  } catch (thrown) {
    // A driver stops here too, whatever the fold was surprised by.
    return `event ${record.runSeq} does not follow from those before it (${thrown instanceof Error ? thrown.message : String(thrown)})`
  }
}

function missingEnd(row: RunRow, seq: number, headHash: Uint8Array): string | undefined {
  if (seq < row.nextSeq - 1) return `event ${seq + 1} is missing`
  if (Buffer.compare(headHash, row.headHash) === 0) return undefined
  return 'the log does not end at the head that its row names'
}
