/**
 * Erasure (P-34): everything personal of an ended run is removed, with the artifacts that no other run of its tenant
 * holds; records and hashes stay. It is recorded before it is done, so a crash in between leaves a record of what is
 * still to do: a second call does only that.
 */
import type { LogRecord } from '../../core/events/event.ts'
import { fail } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { ReceiptKey, ReceiptKeys } from '../../ports/receipts.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { checkErasures, signErasure } from '../sides/erasure-statement.ts'
import { recordOf } from '../log/read-events.ts'
import { needUsable } from '../loaded/run-trouble.ts'
import { mustFitNames, mustFitReasons } from '../log/fitting.ts'
import type { Services } from '../services.ts'
import { storedEvents } from '../log/stored-events.ts'

export interface EraseRequest {
  readonly runKey: RunKey
  /** The reason stays in the log, so it must hold nothing personal itself. */
  readonly reason: string
  readonly actorId?: string
  /** An erasure is signed: an unsigned one counts as damage. */
  readonly keys: ReceiptKeys
}

export interface EraseAnswer {
  readonly erasedUpTo: number
  /** False when the log already recorded it and only the deletion was repeated. */
  readonly recorded: boolean
}

export async function eraseRun(services: Services, advancer: RunAdvancer, request: EraseRequest): Promise<EraseAnswer> {
  const { store, artifacts } = services
  const { runKey, reason, actorId, keys } = request
  mustFitNames({ actorId })
  mustFitReasons({ reason })
  const row = (await store.getRun(runKey)) ?? fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  await needUsable({ store, plans: advancer.plans }, row)
  if (!isTerminalRun(row.status)) fail('RUN_NOT_TERMINAL', `run ${row.runId} has not ended`)
  const signer = await keys.current()
  const records = await recordsOf(store, runKey)
  const covered = coveredUpTo(records, await keys.known())
  if (covered !== undefined) {
    await store.eraseData(runKey, covered)
    await artifacts?.drop(row)
    return { erasedUpTo: covered, recorded: false }
  }
  const erasedUpTo = row.nextSeq - 1
  const erasure = { erasedUpTo, reason, ...(actorId === undefined ? {} : { actorId }) }
  const payload = await signErasure(signer, row, erasure, records)
  advancer.forget(runKey)
  await advancer.advance(runKey, { inputs: [{ kind: 'erase', payload }] })
  await store.eraseData(runKey, erasedUpTo)
  await artifacts?.drop(row)
  advancer.forget(runKey)
  return { erasedUpTo, recorded: true }
}

async function recordsOf(store: RunStore, runKey: RunKey): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = []
  for await (const stored of storedEvents(store, runKey)) {
    const record = recordOf(stored)
    if (record.ok) records.push(record.value)
  }
  return records
}

/** The last seq covered by signed erasures, when nothing after it can be erased. */
function coveredUpTo(records: readonly LogRecord[], keys: readonly ReceiptKey[]): number | undefined {
  const { signedUpTo, findings } = checkErasures(records, keys)
  const lastWithData = records.findLast(({ data }) => data !== undefined)?.runSeq ?? 0
  return signedUpTo > 0 && findings.length === 0 && lastWithData <= signedUpTo ? signedUpTo : undefined
}
