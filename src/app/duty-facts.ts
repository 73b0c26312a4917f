/** Who did what in a run, read from its log: what the rules of separated duties judge by (MAN-08). */
import type { ForeignRecord } from '../core/events/event.ts'
import { LIMITS } from '../core/limits.ts'
import type { Step } from '../core/plan/plan.ts'
import type { DutyFacts } from '../core/run/duties.ts'
import type { RunKey, RunStore } from '../ports/run-store.ts'
import type { LoadedRun } from './load-run.ts'
import { recordOf } from './read-events.ts'

export async function dutyFacts(store: RunStore, run: LoadedRun, step: Step, actorId: string): Promise<DutyFacts> {
  const steps = new Map(run.plan.plan.steps.map((one) => [one.stepId, one]))
  const approvals: DutyFacts['approvals'][number][] = []
  const stoppedBy: string[] = []
  for await (const record of recordsOf(store, run.row.runKey)) {
    const by = record.payload?.['actorId']
    if (typeof by !== 'string') continue
    const done = record.eventType === 'StepCompleted' ? steps.get(record.stepId ?? '') : undefined
    if (done !== undefined) approvals.push({ actorId: by, duties: dutiesOf(done) })
    if (isStop(record)) stoppedBy.push(by)
  }
  return {
    actorId,
    ...(run.row.triggeredBy === undefined ? {} : { initiator: run.row.triggeredBy }),
    duties: dutiesOf(step),
    approvals,
    stoppedBy: [...stoppedBy, ...(await stoppersBefore(store, run))],
  }
}

function dutiesOf({ stepId, labels }: Step): readonly string[] {
  const duty = labels?.['duty']
  return duty === undefined ? [stepId] : [stepId, duty]
}

/** An emergency stop ends its run, so whoever starts over is judged by the run before. */
async function stoppersBefore(store: RunStore, { row }: LoadedRun): Promise<readonly string[]> {
  if (row.originalRunId === undefined) return []
  const before = await store.findRun({ tenantId: row.tenantId, runId: row.originalRunId })
  if (before === undefined) return []
  const found: string[] = []
  for await (const record of recordsOf(store, before.runKey)) {
    const by = record.payload?.['actorId']
    if (isStop(record) && typeof by === 'string') found.push(by)
  }
  return found
}

function isStop({ eventType, payload }: ForeignRecord): boolean {
  return eventType === 'SignalAccepted' && payload?.['signalType'] === 'EMERGENCY_STOP'
}

async function* recordsOf(store: RunStore, runKey: RunKey): AsyncGenerator<ForeignRecord> {
  for (let afterSeq = 0; ;) {
    const page = await store.readEvents(runKey, { afterSeq, limit: LIMITS.fetchPageEvents })
    for (const stored of page) {
      const record = recordOf(stored)
      if (record.ok) yield record.value
    }
    const last = page.at(-1)
    if (last === undefined) return
    afterSeq = last.runSeq
  }
}
