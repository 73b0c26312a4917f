/**
 * How far the stored log of a run is sound: event by event, as a driver would read it, until the first that is missing,
 * altered, unreadable or does not follow. It tells why a run was set aside, and what a fork can still build on.
 */
import type { LogRecord } from '../../core/events/event.ts'
import { isForeign } from '../../core/engine/engine-type.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { evolve } from '../../core/run/evolve/evolve.ts'
import { foldEventOfRecord } from '../../core/run/fold-event.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { initialState } from '../../core/run/state/initial-state.ts'
import type { RunKey, RunRow, RunStore, StoredEvent } from '../../ports/run-store.ts'
import { damageOf } from './event-damage.ts'
import { FIRST_PREVIOUS } from '../log/event-hashes.ts'
import type { LoadedPlan, PlanShelf } from '../plans/load.ts'
import { recordOf } from '../log/read-events.ts'
import { sha256Hex } from '../log/sha256.ts'
import { storedEvents } from '../log/stored-events.ts'

export interface SoundLog {
  /** Number of the last event of the sound part; 0 when there is none. */
  readonly seq: number
  /** chainHash of that event. */
  readonly headHash: Uint8Array
  /** Absent when the plan cannot be read. */
  readonly plan?: LoadedPlan
  /** The fold of the sound part. */
  readonly state?: RunState
  /** What is wrong after the sound part; undefined when the whole log is sound. */
  readonly damage?: string
}

/** With `upTo` nothing after that event is checked. */
export async function readSoundLog(store: RunStore, plans: PlanShelf, row: RunRow, upTo = Infinity): Promise<SoundLog> {
  // An imported log was not decided by our rules, and the values beside it stayed where it came from.
  const found = isForeign(row) ? undefined : await planOrDamage(plans, row)
  const plan = typeof found === 'string' ? undefined : found
  let state = plan === undefined ? undefined : initialState(plan.graph)
  let seq = 0
  let headHash: Uint8Array = FIRST_PREVIOUS
  let damage: string | undefined
  // After an erasure large values are missing, as they should be.
  const blobs = isForeign(row) || (await wasErased(store, row.runKey)) ? undefined : store
  for await (const stored of storedEvents(store, row.runKey)) {
    // Events written after the row was read are not part of what it names.
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
    return await plans.get(row.tenantId, row.planSha256)
  } catch (thrown) {
    const isPlan = thrown instanceof KeelsonError && thrown.code.startsWith('PLAN_')
    if (isPlan) return thrown.problems[0].message
    throw thrown
  }
}

interface Place {
  readonly stored: StoredEvent
  /** Seq of the previous event. */
  readonly seq: number
  readonly headHash: Uint8Array
}

type Blobs = Pick<RunStore, 'getBlob'> | undefined

async function readSound(blobs: Blobs, row: RunRow, place: Place): Promise<LogRecord | string> {
  const { stored, seq, headHash } = place
  if (stored.runSeq !== seq + 1) return `event ${seq + 1} is missing`
  const read = recordOf(stored)
  if (!read.ok) return lowered(read.problems[0].message)
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
async function lostBlob(blobs: Blobs, row: RunRow, { payload = {} }: LogRecord): Promise<string | undefined> {
  const captures = (payload['captures'] ?? []) as readonly { readonly ref?: unknown }[]
  const refs = [payload['inputRef'], payload['resultRef'], payload['outputRef'], ...captures.map(({ ref }) => ref)]
  for (const ref of refs as readonly ({ readonly sha256: string } | undefined)[]) {
    if (ref === undefined || blobs === undefined) continue
    const text = await blobs.getBlob(row.runKey, ref.sha256)
    if (text === undefined) return `names the stored value ${ref.sha256}, which is missing`
    if (sha256Hex(text) !== ref.sha256) return `names the stored value ${ref.sha256}, which was altered`
  }
  return undefined
}

function folded(state: RunState | undefined, record: LogRecord): RunState | string | undefined {
  if (state === undefined) return undefined
  try {
    return evolve(state, foldEventOfRecord(record))
  } catch (thrown) {
    // A driver stops here too, whatever surprised the fold.
    return `event ${record.runSeq} does not follow from those before it (${thrown instanceof Error ? thrown.message : String(thrown)})`
  }
}

function missingEnd(row: RunRow, seq: number, headHash: Uint8Array): string | undefined {
  if (seq < row.nextSeq - 1) return `event ${seq + 1} is missing`
  if (Buffer.compare(headHash, row.headHash) === 0) return undefined
  return 'the log does not end at the head that its row names'
}
