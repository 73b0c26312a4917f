/**
 * The open append (P-15): writes of producers other than the decider. Every write is validated and its scope and key are
 * checked before the store sees any; a key that exists returns the first event.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import { unwrap } from '../../core/result.ts'
import type { LogRecord, RunEventWrite, RunIdentity } from '../../core/events/event.ts'
import { eventContent } from '../../core/events/event-content.ts'
import { keyText, keyTextV2 } from '../../core/events/event-key.ts'
import { importCause, type KeyVersion } from '../../core/events/imported.ts'
import { RUN_SLOT } from '../../core/events/slot.ts'
import { slotOf } from '../../core/events/slot-of.ts'
import { KeelsonError, fail, type Problem } from '../../core/problems/problem.ts'
import { isoFromMs } from '../../core/time.ts'
import type { Random } from '../../ports/random.ts'
import type { OpenAppendResult, OpenWrite, RunRow, RunStore } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { checkSizes, type ContentText } from '../log/check-draft.ts'
import { recordOf } from '../log/read-events.ts'
import { eventAt } from '../log/stored-events.ts'
import { identityText } from '../log/record-text.ts'
import { SALT_BYTES, sealOne } from '../log/seal.ts'
import { sha256Hex } from '../log/sha256.ts'
import { validateWrite } from './validate-events.ts'

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

/** A write that may be stored: its schema, its scope, its key and its sizes were checked. */
export interface PreparedWrite extends OpenWrite {
  readonly write: RunEventWrite
  readonly slot: string
  readonly text: ContentText
}

/** All or nothing: throws every problem, each with the place of its write, such as `/2`. */
export function prepareWrites(
  writes: readonly unknown[],
  run: RunIdentity,
  keyVersion: KeyVersion = 'v1',
): readonly PreparedWrite[] {
  const prepared: PreparedWrite[] = []
  const problems: Problem[] = []
  for (const [index, given] of writes.entries()) {
    try {
      prepared.push(prepare(given, run, keyVersion))
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

/** One result per write, in order; what the store refuses, it refuses whole. */
export async function appendPrepared(
  store: RunStore,
  row: RunRow,
  writes: readonly PreparedWrite[],
  random: Random,
  keyVersion: KeyVersion = 'v1',
): Promise<readonly AppendResult[]> {
  const results = await store.appendOpen(row, writes, sealing(row, random, keyVersion))
  return Promise.all(
    results.map(async (result) => {
      const answer = { ...result, persistedAt: isoFromMs(result.persistedAt) }
      return result.conflict === true ? { ...answer, ...(await existingOf(store, row, result)) } : answer
    }),
  )
}

function prepare(given: unknown, run: RunIdentity, keyVersion: KeyVersion): PreparedWrite {
  const write = unwrap(validateWrite(given))
  checkScope(write, run)
  const expected = keyOfWrite(write, keyVersion) ?? write.idempotencyKey
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
export function keyOfWrite(write: RunEventWrite, keyVersion: KeyVersion = 'v1'): string | undefined {
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

function checkScope(write: RunEventWrite, run: RunIdentity): void {
  for (const name of SCOPE) {
    if (write[name] !== run[name]) {
      fail('RUN_SCOPE_MISMATCH', `${write.eventType}: ${name} is ${write[name]}, the run's is ${run[name]}.`)
    }
  }
}

function sealing(row: RunRow, random: Random, keyVersion: KeyVersion) {
  const names = identityText(row)
  const nextSalt = () => random.bytes(SALT_BYTES)
  let firstSeq: number | undefined
  return ({ write, slot, text }: PreparedWrite, runSeq: number, previous: Uint8Array) => {
    firstSeq ??= runSeq
    const decision = { firstSeq, cause: importCause(keyVersion) }
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
