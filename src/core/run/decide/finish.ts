/**
 * How a run ends: completed when every step is satisfied, failed after undoing what can be undone, cancelled when
 * nothing is open any more. Under `hold` it does not end by itself.
 */
import { vectorGet } from '../../collections/vector.ts'
import type { Payload } from '../../events/event.ts'
import { nextHook } from '../evolve/undo.ts'
import type { Failure, RunState, Unit } from '../state.ts'
import { stepAt, stepUnit } from '../units.ts'
import { undoNext } from './undo.ts'
import { emit, emitRun, hasRoom, type Workspace } from './workspace.ts'

/** Every step is satisfied. An output that cannot be made fails the run all the same, after undoing (CMP-01). */
export function complete(ws: Workspace): void {
  const { output } = ws.state.graph.plan
  const facts = ws.facts.get('RUN')
  if (ws.state.undo !== undefined && undoNext(ws)) return
  if (output !== undefined && facts === undefined) {
    ws.needs.push({ kind: 'output', slot: 'RUN' })
    return
  }
  if (!hasRoom(ws)) return
  if (facts?.problem !== undefined) {
    if (ws.state.undo === undefined && undoNext(ws)) return
    const error = { code: facts.problem.code, retryable: false, errorClass: 'validation' } as const
    const compensation = ws.state.undo === undefined ? undefined : undoSummary(ws.state, 0)
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
  if (undoNext(ws)) return
  if (!skipDependents(ws) || !hasRoom(ws)) return
  const root = rootCause(ws.state)
  const error: Payload<'RunFailed'>['error'] =
    ws.state.timedOutAt >= 0
      ? { code: 'RUN_TIMEOUT', retryable: false, errorClass: 'timeout', category: 'timeout' }
      : { code: root?.code ?? 'CANCELLED', retryable: false, errorClass: root?.errorClass ?? 'cancelled' }
  const summary = undoSummary(ws.state, 0)
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
  const summary = undoSummary(ws.state, 1)
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
  // A sequence under `continue` is order only.
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

function isFailed(unit: Unit): boolean {
  return unit.status === 'FAILED' && !unit.recovered
}

/** The earliest failure that nothing handled. */
export function rootCause(state: RunState): Failure | undefined {
  let first: Failure | undefined
  for (let at = state.failures; at !== undefined; at = at.next) {
    const unit = vectorGet(state.units, at.value.unit)
    if (unit !== undefined && isFailed(unit) && unit.attempt === at.value.attempt) first = at.value
  }
  return first
}

export function undoSummary(state: RunState, cutHooks: number): Payload<'RunFailed'>['compensation'] {
  const { undo } = state
  const { current } = undo ?? {}
  const cut = cutHooks > 0 && current !== undefined
  if (undo === undefined && state.completions === undefined && state.notCompensable === 0) return undefined
  return {
    done: undo?.done ?? 0,
    failed: undo?.failed ?? 0,
    notCompensable: state.notCompensable,
    unfinished: cutHooks > 0 ? hooksLeft(state) + (undo?.current === undefined ? 0 : 1) : 0,
    slots: undo?.slots ?? [],
    ...(state.rulesVersion < 2
      ? {}
      : {
          actions: [
            ...(undo?.actions ?? []).slice(0, ACTIONS_MAX - 1),
            ...(cut ? [{ slot: current.slot, result: 'unfinished' as const, attempts: current.attempt }] : []),
          ],
        }),
  }
}

const ACTIONS_MAX = 200

function hooksLeft(state: RunState): number {
  let hooks = 0
  for (let at = nextHook(state); at !== undefined; at = at.next) hooks += 1
  return hooks
}
