/**
 * Erasure (P-34): of an ended run everything that may be personal goes, with the artifacts that no other run of its tenant
 * holds; records and hashes stay. It is recorded first and done after, so a crash in between leaves a record of what is
 * still to be done: asking again does only that.
 */
import { fail } from '../core/problems/problem.ts'
import { isTerminalRun } from '../core/run/transitions.ts'
import type { RunKey, RunStore } from '../ports/run-store.ts'
import type { RunAdvancer } from './advance-run.ts'
import { recordOf } from './read-events.ts'
import { needUsable } from './run-trouble.ts'
import type { Services } from './services.ts'
import { storedEvents } from './stored-events.ts'

export interface EraseRequest {
  readonly runKey: RunKey
  /** Why; it stays in the log, so it must hold nothing personal itself. */
  readonly reason: string
  readonly actorId?: string
}

export interface EraseAnswer {
  readonly erasedUpTo: number
  /** False when the log already said so and only the deletion was repeated. */
  readonly recorded: boolean
}

export async function eraseRun(services: Services, advancer: RunAdvancer, request: EraseRequest): Promise<EraseAnswer> {
  const { store, artifacts } = services
  const { runKey, reason, actorId } = request
  const row = (await store.getRun(runKey)) ?? fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  await needUsable({ store, plans: advancer.plans }, row)
  if (!isTerminalRun(row.status)) fail('RUN_NOT_TERMINAL', `run ${row.runId} has not ended`)
  const covered = await coveredUpTo(store, runKey)
  if (covered !== undefined) {
    await store.eraseData(runKey, covered)
    await artifacts?.drop(row)
    return { erasedUpTo: covered, recorded: false }
  }
  const erasedUpTo = row.nextSeq - 1
  const payload = { erasedUpTo, reason, ...(actorId === undefined ? {} : { actorId }) }
  advancer.forget(runKey)
  await advancer.advance(runKey, { inputs: [{ kind: 'erase', payload }] })
  await store.eraseData(runKey, erasedUpTo)
  await artifacts?.drop(row)
  advancer.forget(runKey)
  return { erasedUpTo, recorded: true }
}

/** How far the recorded erasures reach, when nothing that can be erased lies beyond them. */
async function coveredUpTo(store: RunStore, runKey: RunKey): Promise<number | undefined> {
  let reach = 0
  let lastWithData = 0
  for await (const stored of storedEvents(store, runKey)) {
    if (stored.data !== undefined) lastWithData = stored.runSeq
    if (stored.eventType !== 'ErasureRecorded') continue
    const record = recordOf(stored)
    if (record.ok) reach = Math.max(reach, Number(record.value.payload?.['erasedUpTo']))
  }
  return reach > 0 && lastWithData <= reach ? reach : undefined
}
