/** The queue as one person sees it: what each run waits for, whether they may approve it, and whether this process could start it. */
import { WaitingPlaces, type WaitingPlace } from '../../app/admission/waiting-places.ts'
import type { Caller } from '../../app/identity/caller.ts'
import { approverRefusal, waitsForApproval } from '../../app/steer/approve-run.ts'
import { KeelsonError, type Problem } from '../../core/problems/problem.ts'
import type { Refusal } from '../../core/run/people/judge-person.ts'
import type { ListedPage, RunRow } from '../../ports/run-store.ts'
import { DrivingHere } from '../act/driving-here.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { partsOf } from '../services-of.ts'

export interface QueuedRun {
  readonly row: RunRow
  readonly waitsFor: readonly WaitingPlace[]
  /** Of a run that waits for approval. */
  readonly mayNot?: Refusal
  /** It would stay queued if this process tried to start it, for example because a function is missing here. */
  readonly cannotStart?: Problem
}

export interface QueuePage {
  readonly runs: readonly QueuedRun[]
  readonly next?: string
}

export async function queueFor(keelson: Keelson, { actorId }: Caller, page: ListedPage): Promise<QueuePage> {
  const parts = partsOf(keelson)
  const here = new DrivingHere(parts)
  const { runs, next } = await keelson.list({ status: ['PENDING', 'APPROVED'] }, page)
  const places = new WaitingPlaces(parts.services.store)
  const queued: QueuedRun[] = []
  for (const row of runs) {
    const mayNot = waitsForApproval(row) ? await refusalOf(() => approverRefusal(parts, row, actorId)) : undefined
    // Whoever drives nothing leaves it to others, and does not know what they can do.
    const cannotStart = parts.drives === false ? undefined : await problemOf(() => here.needStartable(row))
    queued.push({
      row,
      waitsFor: await places.of(row),
      ...(mayNot === undefined ? {} : { mayNot }),
      ...(cannotStart === undefined ? {} : { cannotStart }),
    })
  }
  return { runs: queued, ...(next === undefined ? {} : { next }) }
}

/** A run whose log cannot be read is approved by nobody, and the others are shown all the same. */
async function refusalOf(ask: () => Promise<Refusal | undefined>): Promise<Refusal | undefined> {
  try {
    return await ask()
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    const [{ code, message }] = thrown.problems
    return { code, why: message }
  }
}

async function problemOf(need: () => Promise<void>): Promise<Problem | undefined> {
  try {
    await need()
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    return thrown.problems[0]
  }
}
