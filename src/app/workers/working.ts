/** A remote worker at the door: whose it is, what it may, and the runs whose steps it does. */
import { compensationSlot } from '../../core/events/slot.ts'
import { fail } from '../../core/problems/problem.ts'
import { effectId } from '../../core/run/effect.ts'
import { isStopping } from '../../core/run/proceed/fail-step.ts'
import type { RunKey } from '../../ports/run-store.ts'
import type { StoredWork } from '../../ports/work.ts'
import { workOf, type Work } from '../execute/step-work.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { sha256Hex } from '../log/sha256.ts'
import type { Services } from '../services.ts'
import type { WorkDesk } from '../work/work-desk.ts'

export interface Working {
  readonly services: Pick<Services, 'store' | 'clock' | 'secrets' | 'redactors' | 'artifacts'>
  readonly desk: WorkDesk
  /** The fold of a run's log: only the log says whether a step is still wanted. */
  readonly current: (runKey: RunKey) => Promise<LoadedRun>
  readonly tenantId: string
  readonly actorId: string
  /** May it be given the secrets of its steps? */
  readonly maySecrets: boolean
}

export interface WantedWork {
  readonly run: LoadedRun
  readonly work: Work
  /** Its run is being stopped: who has it goes on only to end it. */
  readonly isStopping: boolean
}

/** Undefined: the attempt has ended. */
export async function stillWanted(
  { current }: Pick<Working, 'current'>,
  { runKey, slot, attempt, engineAttempt }: StoredWork,
): Promise<WantedWork | undefined> {
  const run = await current(runKey)
  const kind = slot.startsWith(compensationSlot('')) ? ('Compensate' as const) : ('ExecuteStep' as const)
  const id = effectId(kind, slot, attempt, engineAttempt)
  const work = workOf(run, { kind, id, slot, attempt, engineAttempt })
  // What undoes a run is done although the run is being stopped.
  return work === undefined ? undefined : { run, work, isStopping: kind === 'ExecuteStep' && isStopping(run.state) }
}

/** A claim of another tenant and one that nobody holds are the same to who asks (AUT-10). */
export async function heldClaim(by: Working, token: string): Promise<StoredWork> {
  return (await claimAt(by, token)) ?? notHeld()
}

/** Undefined where its step was handed out again, or where there never was such a claim. */
export async function claimAt({ services, tenantId }: Working, token: string): Promise<StoredWork | undefined> {
  return services.store.findClaim(tenantId, sha256Hex(token))
}

export function notHeld(): never {
  return fail('CLAIM_NOT_HELD', 'this claim is not held: it has ended, or its step was handed out again')
}

/** Writes the next revision, and tells whoever waits for the row in this process. False: somebody else wrote first. */
export async function changeWork(
  { services, desk }: Pick<Working, 'services' | 'desk'>,
  next: StoredWork,
): Promise<boolean> {
  const changed = { ...next, revision: next.revision + 1, touchedAt: services.clock.now() }
  if (!(await services.store.putWork(changed))) return false
  desk.moved(changed)
  return true
}
