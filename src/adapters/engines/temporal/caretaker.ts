/**
 * Watches over the runs of this engine: wakes those whose inbox or timer nobody took up, and takes over those whose
 * workflow was closed, is gone or never came to be (P-38). A lease keeps two hosts from taking one run over at once.
 */
import { ClockJumps, steadyNow } from '../../../core/clock-jumps.ts'
import { isTerminalRun } from '../../../core/run/transitions.ts'
import type { EngineParts } from '../../../ports/engine.ts'
import type { RunKey, RunRow } from '../../../ports/run-store.ts'
import { problemOf } from './problem-of.ts'
import { lostReport } from './lost-report.ts'
import type { LostEffect } from './wire.ts'
import { WorkflowRound } from './workflow-round.ts'
import type { ClosedWorkflow, Workflows } from './workflows.ts'

/** An inbox or timer is the workflow's own affair for that long. */
const STALLED_MS = 1_000
const PAGE = 200
const CARE_LEASE_MS = 15_000
/** Closed workflows are asked for at every so-manieth poll, each time a little further back: the list is late by seconds. */
const CLOSED_EVERY = 5
const OVERLAP_MS = 60_000
const AGAIN_MAX_MS = 60_000

export interface CaretakerParts extends EngineParts {
  readonly workflows: Workflows
  readonly pollMs: number
  /** A process without a worker may name a server that nobody works for: it gives no run a new workflow unasked. */
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

  /** What cannot be done for one run is no reason to leave the others. */
  async #told(care: () => Promise<void>): Promise<void> {
    try {
      await care()
    } catch (error) {
      this.#parts.tell(problemOf(error))
    }
  }

  /** A run that waits for a person for days is not due: that its workflow was terminated is seen in Temporal's list alone. */
  async #lookForClosed(): Promise<void> {
    const { store, clock, workflows, scope } = this.#parts
    const now = clock.now()
    const closed = await workflows.closedSince(new Date(this.#closedSince))
    for (const one of closed) {
      const { workflowId, isStep } = one
      if (this.#stopped) return
      const row = await store.findRun({
        tenantId: scope.tenantId,
        runId: isStep ? stepOf(workflowId).runId : workflowId,
      })
      if (row === undefined || row.engineType !== 'temporal' || isTerminalRun(row.status)) continue
      await this.#told(() => (isStep ? this.#giveUpStep(row, one) : this.look(row)))
    }
    this.#closedSince = now - OVERLAP_MS
  }

  /** A run that is in none of those lists: its workflow is gone without a trace, maybe with its whole server. */
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
    await workflows.wake(row.runId)
  }

  /** Wakes the run's workflow; where there is none, the run is taken over and gets a new one. */
  async look(row: RunRow): Promise<void> {
    const { workflows } = this.#parts
    if (isTerminalRun(row.status) || row.quarantine !== undefined || row.engineType !== 'temporal') return
    if (await workflows.wake(row.runId)) return
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
      if (fresh !== undefined && !isTerminalRun(fresh.status)) await workflows.start(fresh)
    } finally {
      await store.releaseLease(runKey, owner)
    }
  }
}

/** What the id of a long step's workflow says; a run's own id may have a colon in it. */
function stepOf(workflowId: string): LostEffect & { readonly runId: string } {
  const match = /^(.*?):(?:ExecuteStep|Compensate):(.+):(\d+):(\d+)$/.exec(workflowId)
  const [, runId = '', slot = '', attempt, engineAttempt] = match ?? []
  return { runId, slot, attempt: Number(attempt), engineAttempt: Number(engineAttempt) }
}
