/**
 * How a run ends: completed when every step is satisfied, failed after undoing what can be undone, cancelled when
 * nothing is open any more. Under `hold` it does not end by itself.
 */
import type { Payload } from '../../events/event.ts'
import { compensationSummary } from '../compensation/summary.ts'
import { isFailed, rootCause } from '../failure/root-cause.ts'
import type { RunState } from '../state/state.ts'
import { stepAt, stepUnit } from '../state/units.ts'
import { compensateNext } from './compensate.ts'
import { emit, emitRun, hasRoom, type Workspace } from './workspace.ts'

/** Every step is satisfied. An output that cannot be made fails the run all the same, after undoing (CMP-01). */
export function complete(ws: Workspace): void {
  const { output } = ws.state.graph.plan
  const facts = ws.facts.get('RUN')
  if (ws.state.compensation !== undefined && compensateNext(ws)) return
  if (output !== undefined && facts === undefined) {
    ws.needs.push({ kind: 'output', slot: 'RUN' })
    return
  }
  if (!hasRoom(ws)) return
  if (facts?.problem !== undefined) {
    if (ws.state.compensation === undefined && compensateNext(ws)) return
    const error = { code: facts.problem.code, retryable: false, errorClass: 'validation' } as const
    const compensation = ws.state.compensation === undefined ? undefined : compensationSummary(ws.state, 0)
    emitRun(
      ws,
      'RunFailed',
      { failedAt: ws.nowIso, error, ...(compensation === undefined ? {} : { compensation }) },
      { data: { errorText: { message: facts.problem.message } } },
    )
    return
  }
  const payload = {
    completedAt: ws.nowIso,
    artifactRefs: [],
    ...(facts?.outputRef === undefined ? {} : { outputRef: facts.outputRef }),
  }
  emitRun(ws, 'RunCompleted', payload, { data: facts?.output === undefined ? undefined : { output: facts.output } })
}

/** Undo, then the skips of what could not run, then RunFailed. Each part may be cut and goes on next turn. */
export function failRun(ws: Workspace): void {
  if (compensateNext(ws)) return
  if (!skipDependents(ws) || !hasRoom(ws)) return
  const root = rootCause(ws.state)
  const error: Payload<'RunFailed'>['error'] =
    ws.state.timedOutAt >= 0
      ? { code: 'RUN_TIMEOUT', retryable: false, errorClass: 'timeout', category: 'timeout' }
      : { code: root?.code ?? 'CANCELLED', retryable: false, errorClass: root?.errorClass ?? 'cancelled' }
  const summary = compensationSummary(ws.state, 0)
  emitRun(ws, 'RunFailed', {
    failedAt: ws.nowIso,
    error,
    ...(root === undefined ? {} : { rootCause: { slot: root.slot, attempt: root.attempt, runSeq: root.runSeq } }),
    ...(summary === undefined ? {} : { compensation: summary }),
  })
}

/** EMERGENCY_STOP during compensation: the run still fails, with what was left undone on record. */
export function failCutShort(ws: Workspace): void {
  const root = rootCause(ws.state)
  const summary = compensationSummary(ws.state, 1)
  emitRun(ws, 'RunFailed', {
    failedAt: ws.nowIso,
    error: { code: root?.code ?? 'CANCELLED', retryable: false, errorClass: root?.errorClass ?? 'cancelled' },
    ...(root === undefined ? {} : { rootCause: { slot: root.slot, attempt: root.attempt, runSeq: root.runSeq } }),
    ...(summary === undefined ? {} : { compensation: summary }),
  })
}

/** Each step that could never start gets its DEPENDENCY_FAILED, but not under failFast (P-46). */
function skipDependents(ws: Workspace): boolean {
  const { graph } = ws.state
  if (graph.plan.policy.onFailure === 'failFast') return true
  // A run that ends by itself has nothing left but dependents; a time limit also cuts off what could still have started.
  const blocked = ws.state.timedOutAt >= 0 ? dependentsOfFailed(ws.state) : undefined
  for (let step = Math.max(0, ws.state.endSkipsFrom); step < graph.steps.length; step += 1) {
    const unit = stepUnit(ws.state, step)
    if (unit.status !== 'PENDING' || unit.attempt > 0 || blocked?.has(step) === false) continue
    if (!hasRoom(ws)) return false
    const reason = 'a step it depends on failed'
    emit(ws, 'StepSkipped', stepAt(graph, step).stepId, 1, {
      reason,
      reasonCode: 'DEPENDENCY_FAILED',
      skippedAt: ws.nowIso,
    })
  }
  return true
}

function dependentsOfFailed(state: RunState): ReadonlySet<number> {
  const { graph } = state
  const found = new Set<number>()
  // Under `continue` a sequence only gives an order.
  if (graph.sequential && graph.plan.policy.onFailure === 'continue') return found
  const open = graph.steps.flatMap((_step, index) => (isFailed(stepUnit(state, index)) ? [index] : []))
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const dependent of graph.dependents[at] ?? []) {
      const { status } = stepUnit(state, dependent)
      if (found.has(dependent) || (status !== 'PENDING' && status !== 'SKIPPED')) continue
      found.add(dependent)
      open.push(dependent)
    }
  }
  return found
}
