/**
 * Drives the projector of one run over a store: fetches what the machine asks for, keeps a stored view to return to
 * after a crash (PRJ-07), and hands each new view to its subscribers once the watermark has moved (PRJ-26). It has no
 * timer: `pump` works until nothing is left to do now and returns when there will be more.
 */
import type { LogRecord } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import { KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import { ok, refused, type Result } from '../../core/result.ts'
import {
  newProjector,
  nextOf,
  turn,
  type ProjectorInput,
  type ProjectorNext,
  type ProjectorState,
} from '../../core/view/project/projector.ts'
import type { RunMeta } from '../../core/view/fold/run-meta.ts'
import type { RunView } from '../../core/view/fold/run-view.ts'
import type { ConsumerNote, ViewAlert } from '../../core/view/fold/view-alert.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunKey, RunRef, RunStore } from '../../ports/run-store.ts'
import { envelopeOf } from '../log/read-events.ts'
import { resyncRun } from './resync-run.ts'
import { isWorthKeeping, saveView, storedView } from './stored-views.ts'

export interface ProjectorDeps {
  readonly store: Pick<RunStore, 'findRun' | 'readEvents' | 'getCheckpoint' | 'putCheckpoint'>
  /** False: views are not stored, as for who may only read. Default true. */
  readonly keepsViews?: boolean
  readonly clock: Clock
  readonly onAlert?: (alert: ViewAlert) => void
  readonly onNote?: (note: ConsumerNote) => void
  /** A fetch, a projection, a stored view or a subscriber failed; the projector goes on (PRJ-23). */
  readonly onError?: (error: unknown) => void
}

export interface RunProjector {
  /** Works until nothing is left to do now; returns what comes next and its earliest time. */
  pump(): Promise<ProjectorNext>
  state(): ProjectorState
  subscribe(listener: (view: RunView) => void): () => void
}

export async function openProjector(deps: ProjectorDeps, run: RunRef, meta: RunMeta): Promise<Result<RunProjector>> {
  const row = await deps.store.findRun(run)
  if (row === undefined) return refused(problem('RUN_NOT_FOUND', `There is no run '${run.runId}'.`))
  const { runKey } = row
  const stored = await storedView(deps.store, runKey, meta)
  const listeners = new Set<(view: RunView) => void>()
  let state = newProjector(meta, stored)
  let savedSeq = stored?.lastEventSeq ?? 0
  const { store, keepsViews = true } = deps
  // Nothing is kept of a run that was erased: its values may still be in what was read.
  let isErased = false
  let pumping: Promise<ProjectorNext> | undefined

  const take = async (input: ProjectorInput): Promise<void> => {
    const before = state.view.lastEventSeq
    const done = turn(state, input)
    state = done.state
    for (const alert of done.alerts) deps.onAlert?.(alert)
    for (const note of done.notes) deps.onNote?.(note)
    const { view } = state
    if (view.lastEventSeq <= before) return
    if (state.stale === undefined && keepsViews && !isErased && isWorthKeeping(view, savedSeq)) {
      savedSeq = view.lastEventSeq
      await guarded(deps, () => saveView(store, runKey, view))
    }
    for (const listener of listeners) await guarded(deps, () => listener(view))
  }

  const work = async (): Promise<ProjectorNext> => {
    for (;;) {
      const next = nextOf(state)
      if (next.notBefore > deps.clock.now()) return next
      try {
        const input = await fetched(deps, run, runKey, next)
        isErased ||= recordsIn(input).some(({ eventType }) => eventType === 'ErasureRecorded')
        await take(input)
        if (input.kind === 'page' && input.records.length === 0) return nextOf(state)
      } catch (error) {
        deps.onError?.(error)
        await take({ kind: 'failed', now: deps.clock.now() })
      }
    }
  }

  return ok({
    pump: () => (pumping ??= work().finally(() => (pumping = undefined))),
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  })
}

async function fetched(deps: ProjectorDeps, run: RunRef, runKey: RunKey, next: ProjectorNext): Promise<ProjectorInput> {
  if (next.kind === 'resync') {
    const response = await resyncRun(deps.store, run.tenantId, next.request)
    return { kind: 'resynced', response: valueOf(response), now: deps.clock.now() }
  }
  const page = await deps.store.readEvents(runKey, { afterSeq: next.afterSeq, limit: LIMITS.fetchPageEvents })
  const records: readonly LogRecord[] = page.map((stored) => valueOf(envelopeOf(stored)))
  return { kind: 'page', records, now: deps.clock.now() }
}

function recordsIn(input: ProjectorInput): readonly LogRecord[] {
  if (input.kind === 'page') return input.records
  return input.kind === 'resynced' ? input.response.events : []
}

function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value
  const [first, ...rest] = result.problems
  throw new KeelsonError([first ?? problem('INTERNAL', 'A refusal without a reason.'), ...rest] as [
    Problem,
    ...Problem[],
  ])
}

async function guarded(deps: ProjectorDeps, work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    deps.onError?.(error)
  }
}
