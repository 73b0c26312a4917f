/**
 * The open append (P-15): writes of producers other than the decider, for import and the store suite. Every write is
 * validated and its scope and key are checked before the store sees any; a key that exists returns the first event.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import { unwrap } from '../../core/result.ts'
import type { LogRecord, RunEventWrite, RunIdentity } from '../../core/events/event.ts'
import { eventContent } from '../../core/events/event-content.ts'
import { keyText, keyTextV2 } from '../../core/events/event-key.ts'
import { RUN_SLOT } from '../../core/events/slot.ts'
import { slotOf } from '../../core/events/slot-of.ts'
import { KeelsonError, fail, type Problem } from '../../core/problems/problem.ts'
import { isoFromMs } from '../../core/time.ts'
import type { Random } from '../../ports/random.ts'
import type { OpenAppendResult, OpenWrite, RunRef, RunRow, RunStore } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { checkSizes, type ContentText } from '../log/check-draft.ts'
import { checkTransitions, type Diverted } from './check-transitions.ts'
import { recordOf } from '../log/read-events.ts'
import { eventAt, storedEvents } from '../log/stored-events.ts'
import { identityText } from '../log/record-text.ts'
import { SALT_BYTES, sealOne } from '../log/seal.ts'
import { sha256Hex } from '../log/sha256.ts'
import { validateWrite } from './validate-events.ts'

export interface OpenAppendOptions {
  readonly random: Random
  /** The key formula of the writes; v2 also includes the plan's id (IDM-06). Default: v1. */
  readonly keyVersion?: 'v1' | 'v2'
  /** Recorded as the decision's cause. Default: `append`. */
  readonly cause?: string
  /** Refuse step events that cannot follow from the log, except for attempts whose start was diverted (STO-25). */
  readonly transitions?: { readonly diverted: Diverted }
  /** Called for every write whose key exists with other content (IDM-13). */
  readonly onMismatch?: (write: RunEventWrite, existing: AppendResult) => void
}

export interface AppendResult {
  readonly runSeq: number
  readonly eventId: string
  readonly persistedAt: string
  /** True when the key existed before; all values are then those of the first write (IDM-09). */
  readonly idempotent: boolean
  readonly persisted: boolean
  /** Same key, other content: the first was kept and is returned here. */
  readonly conflict?: true
  readonly existing?: LogRecord
}

type PreparedWrite = OpenWrite & {
  readonly write: RunEventWrite
  readonly slot: string
  readonly text: ContentText
}

/** All or nothing; one result per write, in order. Throws KeelsonError and stores nothing when one write is refused. */
export async function appendEvents(
  store: RunStore,
  run: RunRef,
  writes: readonly unknown[],
  options: OpenAppendOptions,
): Promise<readonly AppendResult[]> {
  const row = (await store.findRun(run)) ?? fail('RUN_NOT_FOUND', `There is no run ${run.runId}.`)
  const prepared = prepareAll(writes, row, options)
  if (options.transitions !== undefined) {
    const { diverted } = options.transitions
    await checkTransitions(store, row.runKey, await unwritten(store, row, prepared), diverted)
  }
  const results = await store.appendOpen(run, prepared, sealing(row, options))
  return Promise.all(
    results.map(async (result, index) => {
      const answer = { ...result, persistedAt: isoFromMs(result.persistedAt) }
      if (result.conflict !== true) return answer
      const mismatch = { ...answer, ...(await existingOf(store, row, result)) }
      const write = prepared[index]?.write
      if (write !== undefined) options.onMismatch?.(write, mismatch)
      return mismatch
    }),
  )
}

/** A repeat is answered by its key and not checked again. */
async function unwritten(store: RunStore, row: RunRow, writes: readonly PreparedWrite[]): Promise<RunEventWrite[]> {
  const keys = new Set<string>()
  for await (const { idempotencyKey } of storedEvents(store, row.runKey))
    keys.add(Buffer.from(idempotencyKey).toString('hex'))
  return writes.flatMap(({ idempotencyKey, write }) => (keys.has(idempotencyKey) ? [] : [write]))
}

/** The strict mode of X-09: an existing key is an error instead of an answer. One write, so nothing is half done. */
export async function appendStrictly(
  store: RunStore,
  run: RunRef,
  write: unknown,
  options: OpenAppendOptions,
): Promise<AppendResult> {
  const [result] = await appendEvents(store, run, [write], options)
  if (result === undefined) return fail('INTERNAL', 'The store gave no result for a write.')
  if (!result.idempotent) return result
  return fail('IDEMPOTENCY_KEY_EXISTS', `Event ${result.runSeq} of the run already has this key.`, {
    details: { ...result },
  })
}

function prepareAll(writes: readonly unknown[], row: RunRow, options: OpenAppendOptions): readonly PreparedWrite[] {
  const prepared: PreparedWrite[] = []
  const problems: Problem[] = []
  for (const [index, given] of writes.entries()) {
    try {
      prepared.push(prepare(given, row, options))
    } catch (error) {
      if (!(error instanceof KeelsonError)) throw error
      appendAll(
        problems,
        error.problems.map((found) => ({ ...found, pointer: `/${index}` })),
      )
    }
  }
  const [first, ...others] = problems
  if (first !== undefined) throw new KeelsonError([first, ...others])
  return prepared
}

function prepare(given: unknown, row: RunRow, options: OpenAppendOptions): PreparedWrite {
  const write = unwrap(validateWrite(given))
  checkScope(write, row)
  const expected = keyOfWrite(write, options.keyVersion) ?? write.idempotencyKey
  if (write.idempotencyKey !== expected) {
    fail(
      'SCHEMA_VALIDATION_FAILED',
      `${write.eventType}: idempotencyKey is not the hash of its key text (${expected}).`,
    )
  }
  const payload = canonicalText(write.payload)
  const data = write.data === undefined ? undefined : canonicalText(write.data)
  checkSizes(write.eventType, payload, write.data, data)
  return {
    write,
    slot: slotOf(write) ?? RUN_SLOT,
    idempotencyKey: expected,
    text: { payload, data },
    content: eventContent(canonicalText(write), data),
  }
}

/** The key that a write must carry; undefined for an alert, whose slot names the decision that raised it. */
export function keyOfWrite(write: RunEventWrite, keyVersion: 'v1' | 'v2' = 'v1'): string | undefined {
  const slot = slotOf(write)
  if (slot === undefined) return undefined
  const parts = { ...write, slot, attempt: write.logicalAttemptId }
  return sha256Hex(keyVersion === 'v2' ? keyTextV2(parts) : keyText(parts))
}

const SCOPE = [
  'runId',
  'tenantId',
  'projectId',
  'environmentId',
  'planId',
  'planVersion',
] as const satisfies readonly (keyof RunIdentity)[]

function checkScope(write: RunEventWrite, row: RunRow): void {
  for (const name of SCOPE) {
    if (write[name] !== row[name]) {
      fail('RUN_SCOPE_MISMATCH', `${write.eventType}: ${name} is ${write[name]}, the run's is ${row[name]}.`)
    }
  }
}

function sealing(row: RunRow, options: OpenAppendOptions) {
  const names = identityText(row)
  const nextSalt = () => options.random.bytes(SALT_BYTES)
  let firstSeq: number | undefined
  return ({ write, slot, text }: PreparedWrite, runSeq: number, previous: Uint8Array) => {
    firstSeq ??= runSeq
    const decision = { firstSeq, cause: options.cause ?? 'append' }
    const { stepId, parentStepId, itemIndex, role } = write
    const step = stepId === undefined ? undefined : { stepId, parentStepId, itemIndex, role }
    const fields = {
      ...write,
      occurredAt: write.occurredAt,
      causedBySignalId: write.causedBySignalId,
      step,
      decision,
      runSeq,
    }
    return sealOne(fields, names, slot, text, previous, nextSalt)
  }
}

async function existingOf(store: RunStore, row: RunRow, result: OpenAppendResult): Promise<{ existing?: LogRecord }> {
  const stored = await eventAt(store, row.runKey, result.runSeq)
  const record = stored === undefined ? undefined : recordOf(stored)
  return record?.ok === true ? { existing: record.value } : {}
}
