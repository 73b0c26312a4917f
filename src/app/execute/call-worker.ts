/** Calls the function of a step where its plan sends it: through a queue, by a remote worker. To its executor it is a call like others. */
import { appendAll } from '../../core/collections/append-all.ts'
import type { ArtifactRef } from '../../core/events/event.ts'
import { innerStepSlot } from '../../core/events/slot.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { thrownBy, type WorkBody } from '../work/record.ts'
import type { AttemptTime } from './attempt-time.ts'
import { leaveToWorker } from './leave-to-worker.ts'
import type { MappedAction } from './map-action.ts'
import type { StepCall } from './step-call.ts'
import type { FarFunction, Work } from './step-work.ts'

export interface WorkerCall {
  readonly step: StepCall
  readonly work: Work
  readonly watch: AttemptTime
  readonly mapped: MappedAction
  readonly key: () => string
  readonly artifactRefs: ArtifactRef[]
  /** Called when the outcome is no longer in the hands of this process. */
  readonly begins: () => void
  /** Told each time when it is handed out: for the n-th time. */
  readonly onClaim: (claims: number) => void
}

export async function callWorker(far: FarFunction, call: WorkerCall): Promise<unknown> {
  const { step, work, watch, artifactRefs } = call
  const { clock } = step.services
  let last = 0
  call.begins()
  const told = await leaveToWorker({
    ...far,
    step,
    watch,
    secrets: work.step.secrets !== undefined,
    body: bodyFor(call),
    onClaim: (claims, at) => {
      last = claims
      call.onClaim(claims)
      // Its worker was told when its time is up; who takes the run over later counts from the same instant.
      watch.restart(Math.max(0, at + work.timeoutMs - clock.now()))
    },
  }).catch((thrown: unknown) => {
    // It is told as by one who would have begun it again: a report of the worker that did begin it is another one, and late (P-28).
    if (thrown instanceof KeelsonError && thrown.code === 'INDETERMINATE') call.onClaim(last + 1)
    throw thrown
  })
  appendAll(artifactRefs, told.artifacts ?? [])
  if (told.outcome === 'failed') throw thrownBy(told)
  return told.output ?? null
}

function bodyFor({ step: { run, effect }, work, mapped, key }: WorkerCall): WorkBody {
  const { planId, planVersion } = run.identity
  const itemIndex = innerStepSlot(effect.slot)?.itemIndex
  return {
    runId: work.ownerRunId ?? run.identity.runId,
    planId,
    planVersion,
    stepId: work.step.stepId,
    ...(itemIndex === undefined ? {} : { itemIndex }),
    input: mapped.input,
    idempotencyKey: key(),
    // Undoing a step is never what cannot be undone.
    effect: effect.kind === 'Compensate' ? 'idempotent' : work.step.effect,
    timeoutMs: work.timeoutMs,
  }
}
