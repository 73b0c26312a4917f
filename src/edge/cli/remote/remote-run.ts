/**
 * One run behind a server, read as one of a store is read. The server tells what only a store knows; everything that follows from the
 * log is made of its records here, by the same code.
 */
import type { TaskCompletion } from '../../../app/inbox/task-completion.ts'
import { signalDecision, signalDecisions, type SignalDecision } from '../../../app/signals/signal-decision.ts'
import type { RunTrouble } from '../../../app/loaded/run-trouble.ts'
import type { CompletionAnswer } from '../../../app/steer/manual-tasks.ts'
import type { TaskFor } from '../../../app/steer/tasks-for.ts'
import { chainEvidence, type ChainedEvidence } from '../../../app/verify/evidence-chain.ts'
import type { RelatedRuns } from '../../../app/views/related-runs.ts'
import type { StepDetail } from '../../../app/views/step-detail.ts'
import type { Client, Execution } from '../../../client/connect.ts'
import type { EXECUTION_PARTS } from '../../../core/api/executions.ts'
import { appendAll } from '../../../core/collections/append-all.ts'
import type { ValidationReport } from '../../../core/engine/check-capabilities.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import type { Plan } from '../../../core/plan/plan.ts'
import { KeelsonError, type Problems } from '../../../core/problems/problem.ts'
import type { Cause } from '../../../core/run/explain/explain.ts'
import type { PlanSource, RunOrigin } from '../../../core/run/input.ts'
import type { SignalType } from '../../../core/run/signals/catalogue.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { RunSnapshot } from '../../../core/view/fold/run-snapshot.ts'
import { evidenceOf } from '../../../core/view/show/evidence.ts'
import { journalOf, storedWithin, type JournalLine } from '../../../core/view/show/journal.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import type { JournalOptions } from '../../../library/run-options.ts'
import type { GrantWait, RunBounds } from '../../../library/read/run-bounds.ts'
import type { RunResult } from '../../../library/read/run-result.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { recordPages } from './record-pages.ts'
import { rowOf } from './remote-row.ts'
import { openTaskOf } from './remote-tasks.ts'

export interface SentFromAfar {
  readonly signalId: string
  /** The run that RETRY_RUN started. */
  readonly startedRunId?: string
  /** The decision that a second person has to accept; until then nothing is done. */
  readonly awaits?: string
}

type PartName = (typeof EXECUTION_PARTS)[number]

export class RemoteRun implements ReadableRun {
  readonly client: Client
  readonly #execution: Execution
  readonly row: RunRow

  constructor(client: Client, row: RunRow) {
    this.client = client
    this.#execution = client.run(row.runId)
    this.row = row
  }

  get runId(): string {
    return this.row.runId
  }

  async hasEnded(): Promise<boolean> {
    return isTerminalRun((await rowOfRun(this.client, this.runId)).status)
  }

  async trouble(): Promise<RunTrouble | undefined> {
    const found = (await this.#part('trouble')) as { soundSeq: number; problems: Problems } | undefined
    return found === undefined ? undefined : { soundSeq: found.soundSeq, error: new KeelsonError(found.problems) }
  }

  damage(): Promise<{ readonly soundSeq: number; readonly what: string } | undefined> {
    return this.#part('damage') as ReturnType<RemoteRun['damage']>
  }

  async records(afterSeq = 0, upToSeq = Infinity): Promise<readonly LogRecord[]> {
    const records: LogRecord[] = []
    for await (const page of recordPages(this.client, this.runId, { afterSeq, upToSeq })) appendAll(records, page)
    return records
  }

  async page(afterSeq: number, limit: number): Promise<readonly LogRecord[]> {
    const query = { after: afterSeq, limit }
    const { events } = await this.client.call('listEvents', { params: this.#params, query })
    return events as readonly unknown[] as readonly LogRecord[]
  }

  async *journal({ from = -Infinity, to = Infinity }: JournalOptions = {}): AsyncGenerator<JournalLine, void> {
    for await (const page of recordPages(this.client, this.runId))
      yield* journalOf(storedWithin(page, Number(from), Number(to)))
  }

  async evidence(): Promise<readonly ChainedEvidence[]> {
    return chainEvidence(evidenceOf(await this.records()))
  }

  async result(): Promise<RunResult> {
    const { status, output, error } = await this.#execution.state()
    const end = { ...(output === undefined ? {} : { output }), ...(error === undefined ? {} : { error }) }
    return { runId: this.runId, status, ...end } as unknown as RunResult
  }

  async tasks(): Promise<readonly TaskFor[]> {
    return (await this.client.tasks({ executionId: this.runId })).map(openTaskOf)
  }

  async snapshot(atSeq?: number): Promise<RunSnapshot> {
    return (await this.#execution.snapshot(atSeq)) as RunSnapshot
  }

  async why(slot: string, atSeq?: number): Promise<readonly Cause[]> {
    return (await this.#execution.why(slot, atSeq)) as readonly unknown[] as readonly Cause[]
  }

  async stepDetail(step: string, at?: number): Promise<StepDetail> {
    const given = { params: { executionId: this.runId, step }, query: at === undefined ? {} : { at } }
    const { executionId: _id, step: _step, ...detail } = await this.client.call('getStepOutput', given)
    return detail as StepDetail
  }

  async look(): Promise<Pick<ReadableRun, 'why' | 'stepDetail'>> {
    return this
  }

  async signalDecisions(): Promise<readonly SignalDecision[]> {
    return signalDecisions(await this.records())
  }

  async signalDecision(id: string): Promise<SignalDecision> {
    return signalDecision({ findInbox: async () => undefined }, this.row, await this.records(), id)
  }

  async plan(): Promise<Plan | undefined> {
    try {
      const { plan } = await this.client.call('getPlanByHash', { params: { sha256: this.row.planSha256 } })
      return plan as unknown as Plan
    } catch (thrown) {
      if (thrown instanceof KeelsonError && thrown.code === 'PLAN_NOT_FOUND') return undefined
      throw thrown
    }
  }

  async grantWaits(): Promise<readonly GrantWait[]> {
    return ((await this.#part('grantWaits')) ?? []) as readonly GrantWait[]
  }

  related(): Promise<RelatedRuns> {
    return this.#part('related') as Promise<RelatedRuns>
  }

  async planSource(): Promise<PlanSource | undefined> {
    const [first] = await this.records(0, 1)
    return (first?.payload?.['origin'] as RunOrigin | undefined)?.planSource
  }

  validationReport(): Promise<ValidationReport> {
    return this.#part('validationReport') as Promise<ValidationReport>
  }

  bounds(): Promise<RunBounds> {
    return this.#part('bounds') as Promise<RunBounds>
  }

  /** The server judges it, and waits a moment for who drives the run. */
  async signal(
    signalType: SignalType,
    payload: Readonly<Record<string, unknown>>,
    { signalId }: { readonly signalId?: string } = {},
  ): Promise<SentFromAfar> {
    const sent = await this.#execution.signal(signalType, payload, signalId)
    return {
      signalId: sent.signalId,
      ...(sent.approvalRequired === true ? { awaits: sent.signalDecisionId } : {}),
      ...(sent.startedExecutionId === undefined ? {} : { startedRunId: sent.startedExecutionId }),
    }
  }

  fork(how: Parameters<Execution['fork']>[0]): Promise<Execution> {
    return this.#execution.fork(how)
  }

  /** Who completes it is who the server takes the caller for. */
  async completeTask(completion: TaskCompletion): Promise<CompletionAnswer> {
    const { completionToken, actorUserId: _principal, ...how } = completion
    return (await this.client.complete(completionToken, how as never)) as unknown as CompletionAnswer
  }

  get #params(): { readonly executionId: string } {
    return { executionId: this.runId }
  }

  async #part(name: PartName): Promise<unknown> {
    return (await this.client.call('getExecution', { params: this.#params, query: { with: [name] } }))[name]
  }
}

export async function rowOfRun(client: Client, executionId: string): Promise<RunRow> {
  return rowOf(await client.call('getExecution', { params: { executionId }, query: { with: ['row'] } }))
}
