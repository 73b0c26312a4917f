/**
 * Watches over the runs of this engine: wakes runs whose inbox or timer no workflow handled, and takes over runs whose workflow
 * was closed, was lost or was never started (P-38). A lease keeps two hosts from taking one run over at once.
 */
import { ClockJumps, steadyNow } from '../../../core/clock-jumps.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { EngineParts } from '../../../ports/engine.ts'
import type { RunKey, RunRow } from '../../../ports/run-store.ts'
import { problemOf } from './client/problem-of.ts'
import { lostReport } from './worker/lost-report.ts'
import type { LostEffect } from './sandbox/wire.ts'
import { runOfWorkflow, workflowIdOf } from './client/workflow-id.ts'
import { WorkflowRound } from './client/missing-workflows.ts'
import { openWorkflow } from './client/open-workflow.ts'
import type { ClosedWorkflow, Workflows } from './client/workflow-client.ts'

/** For this long an inbox row or a timer is left to the workflow itself. */
const STALLED_MS = 1_000
const PAGE = 200
const CARE_LEASE_MS = 15_000
/** Closed workflows are asked for at every n-th poll, each time a little further back, because the list is late by seconds. */
const CLOSED_EVERY = 5
/** Events from outside whose time is over are deleted now and then. */
const PURGE_EVERY = 300
const PURGED_AT_ONCE = 1_000
const OVERLAP_MS = 60_000
const AGAIN_MAX_MS = 60_000

export interface CaretakerParts extends EngineParts {
  readonly workflows: Workflows
  readonly pollMs: number
  /**
   * A process without a worker may name a server for which no worker runs: it gives no run a new workflow unless it is asked to.
   */
  readonly goesRound: boolean
}

interface Looked {
  readonly nextSeq: number
  readonly times: number
  readonly next: number
}

export class Caretaker {
  readonly #parts: CaretakerParts
  #cancelPoll: (() => void) | undefined
  #polling: Promise<void> = Promise.resolve()
  #stopped = false
  #polls = 0
  #closedSince: number
  #looked = new Map<RunKey, Looked>()
  readonly #jumps = new ClockJumps()
  readonly #round: WorkflowRound | undefined

  constructor(parts: CaretakerParts) {
    this.#parts = parts
    this.#round = parts.goesRound ? new WorkflowRound(parts) : undefined
    this.#closedSince = parts.clock.now() - OVERLAP_MS
    this.#jumps.look(parts.clock.now(), steadyNow(parts.clock))
  }

  start(): void {
    this.#schedule()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelPoll?.()
    await this.#polling
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#cancelPoll = this.#parts.timers.after(this.#parts.pollMs, () => {
      this.#polling = this.#poll().finally(() => this.#schedule())
    })
  }

  async #poll(): Promise<void> {
    const { store, clock, tell, onClockJump } = this.#parts
    const jump = this.#jumps.look(clock.now(), steadyNow(clock))
    if (jump !== undefined) onClockJump?.(jump)
    try {
      const at = { now: clock.now(), forMs: STALLED_MS }
      const stalled = await store.stalledRuns('temporal', at, PAGE)
      for (const row of this.#unlessLooked(stalled, steadyNow(clock))) {
        if (this.#stopped) return
        await this.#told(() => this.look(row))
      }
      await store.sweepGrants()
      if (this.#polls % PURGE_EVERY === PURGE_EVERY - 1) await store.purgeEvents(PURGED_AT_ONCE)
      if (this.#polls++ % CLOSED_EVERY === 0) await this.#lookForClosed()
      await this.#lookForMissing()
    } catch (error) {
      tell(problemOf(error))
    }
  }

  /** A run that did not move after a wake-up is woken less and less often: every one of them costs its workflow history. */
  #unlessLooked(rows: readonly RunRow[], now: number): readonly RunRow[] {
    const before = this.#looked
    this.#looked = new Map()
    return rows.filter(({ runKey, nextSeq }) => {
      const last = before.get(runKey)
      const known = last?.nextSeq === nextSeq ? last : { nextSeq, times: 0, next: now }
      const isDue = now >= known.next
      const next = now + Math.min(this.#parts.pollMs * 2 ** known.times, AGAIN_MAX_MS)
      this.#looked.set(runKey, isDue ? { nextSeq, times: known.times + 1, next } : known)
      return isDue
    })
  }

  /** A failure with one run does not stop the work for the others. */
  async #told(care: () => Promise<void>): Promise<void> {
    try {
      await care()
    } catch (error) {
      this.#parts.tell(problemOf(error))
    }
  }

  /** A run that waits for a person for days is not due: only Temporal's list shows that its workflow was terminated. */
  async #lookForClosed(): Promise<void> {
    const { store, clock, workflows, scope } = this.#parts
    const now = clock.now()
    const closed = await workflows.closedSince(new Date(this.#closedSince))
    for (const one of closed) {
      const { workflowId, isStep } = one
      if (this.#stopped) return
      const ofRun = isStep ? stepOf(workflowId).ofRun : workflowId
      const row = await runOfWorkflow(store, scope.tenantId, ofRun)
      if (row === undefined || row.engineType !== 'temporal' || isTerminalRun(row.status)) continue
      await this.#told(() => (isStep ? this.#giveUpStep(row, one) : this.look(row)))
    }
    this.#closedSince = now - OVERLAP_MS
  }

  /** A run that is in none of those lists: its workflow was lost without a trace, perhaps with its whole server. */
  async #lookForMissing(): Promise<void> {
    for (const { runKey } of (await this.#round?.missing()) ?? []) {
      if (this.#stopped) return
      const row = await this.#parts.store.getRun(runKey)
      if (row !== undefined) await this.#told(() => this.look(row))
    }
  }

  /** Somebody closed the workflow of a long step: its attempt is lost, and the run is told so. */
  async #giveUpStep(row: RunRow, { workflowId, epoch }: ClosedWorkflow): Promise<void> {
    const { driver, workflows } = this.#parts
    const report = lostReport(stepOf(workflowId))
    await driver.leave?.(row.runKey, { ...report, ...(epoch === undefined ? {} : { epoch }) })
    await workflows.wake(workflowIdOf(row))
  }

  /** Wakes the run's workflow; where there is none, the run is taken over and gets a new one. */
  async look(row: RunRow): Promise<void> {
    const { workflows } = this.#parts
    if (isTerminalRun(row.status) || row.quarantine !== undefined || row.engineType !== 'temporal') return
    if (await workflows.wake(workflowIdOf(row))) return
    await this.#takeOver(row)
  }

  async #takeOver({ runKey }: RunRow): Promise<void> {
    const { store, driver, clock, owner, workflows } = this.#parts
    const now = clock.now()
    const row = await store.acquireLease(runKey, owner, now, now + CARE_LEASE_MS)
    if (row === undefined) return
    try {
      if (isTerminalRun(row.status) || row.engineType !== 'temporal') return
      const isNew = row.status === 'PENDING' || row.status === 'APPROVED'
      // What was in flight is owed again under the next epoch; a run that never began has nothing to take over.
      if (!isNew) await driver.adopt(runKey)
      const fresh = isNew ? row : await store.getRun(runKey)
      if (fresh !== undefined && !isTerminalRun(fresh.status)) await openWorkflow(workflows, fresh)
    } finally {
      await store.releaseLease(runKey, owner)
    }
  }
}

/** What the id of a long step's workflow says; that of its run, before it, may have a colon in it. */
function stepOf(workflowId: string): LostEffect & { readonly ofRun: string } {
  const match = /^(.*?):(?:ExecuteStep|Compensate):(.+):(\d+):(\d+)$/.exec(workflowId)
  const [, ofRun = '', slot = '', attempt, engineAttempt] = match ?? []
  return { ofRun, slot, attempt: Number(attempt), engineAttempt: Number(engineAttempt) }
}
