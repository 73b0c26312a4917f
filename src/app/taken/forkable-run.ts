/**
 * The part of the old run that a fork may use: all of an ended run; of a run that was set aside, only the sound part up to an
 * event that the caller names. Erased or archived results cannot be taken over.
 */
import { isForeign } from '../../core/engine/engine-type.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { CommittedValues } from '../values/committed.ts'
import { identityOf, type LoadedRun } from '../loaded/load-run.ts'
import { damageTrouble, needUsable, withDamage, type TroubleParts } from '../loaded/run-trouble.ts'
import type { Services } from '../services.ts'
import { brokenBy } from '../loaded/set-aside.ts'
import { readSoundLog, wasErased } from '../loaded/sound-log.ts'

export interface Forkable {
  readonly old: LoadedRun
  /** The old log can no longer be written: only the new run records the fork. */
  readonly isSetAside: boolean
}

export async function forkableRun(
  { store }: Services,
  advancer: RunAdvancer,
  { row, atSeq }: { readonly row: RunRow; readonly atSeq?: number },
): Promise<Forkable> {
  const parts = { store, plans: advancer.plans }
  const now = (await store.getRun(row.runKey)) ?? fail('RUN_NOT_FOUND', `no run ${row.runId}`)
  if (now.archivedAt !== undefined || isForeign(now)) await needUsable(parts, now)
  if (await wasErased(store, now.runKey)) fail('RUN_ERASED', `the inputs and results of run ${now.runId} were erased`)
  // Another process may have driven it since this one last looked.
  advancer.forget(now.runKey)
  const old = now.quarantine === undefined ? await current(advancer, now) : undefined
  if (old === undefined) return { old: await soundRun(parts, now, atSeq), isSetAside: true }
  if (!isTerminalRun(old.state.status)) fail('RUN_NOT_TERMINAL', `run ${now.runId} has not ended`)
  return { old, isSetAside: false }
}

/** Undefined when its log is damaged, though nobody has set it aside yet. */
async function current(advancer: RunAdvancer, { runKey }: RunRow): Promise<LoadedRun | undefined> {
  try {
    return await advancer.current(runKey)
  } catch (thrown) {
    if (thrown instanceof KeelsonError && brokenBy(thrown) !== undefined) return undefined
    throw thrown
  }
}

async function soundRun(parts: TroubleParts, row: RunRow, atSeq: number | undefined): Promise<LoadedRun> {
  if (atSeq === undefined) throw (await damageTrouble(parts, row)).error
  const { seq, plan, state, headHash, damage } = await readSoundLog(parts.store, parts.plans, row, atSeq)
  if (plan === undefined || state === undefined || seq === 0 || seq < atSeq) {
    throw (await damageTrouble(parts, damage === undefined ? row : withDamage(row))).error
  }
  return {
    row,
    identity: identityOf(row),
    plan,
    state,
    epoch: row.epoch,
    nextSeq: seq + 1,
    headHash,
    summary: row,
    checkpointSeq: 0,
    values: new CommittedValues(),
  }
}
