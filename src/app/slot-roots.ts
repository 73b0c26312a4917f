/**
 * What the expressions of one slot see: input with recorded changes, context as of a seq, outputs of steps, its item.
 */
import { fail } from '../core/problems/problem.ts'
import type { Chain, RunState, Unit } from '../core/run/state.ts'
import { stepAt, stepUnit } from '../core/run/units.ts'
import type { AppendValues } from './append-values.ts'
import type { ExpressionNeeds } from './expression-check.ts'
import type { ExpressionRoots } from './expressions.ts'
import { dataOf, readBlob, readRecord, type ValueStore } from './read-results.ts'
import { readVariables } from './read-variables.ts'
import { loadRoots, type ContextChange } from './run-context.ts'
import { logOf, runInput, stepOutput, type ValuedRun } from './run-outputs.ts'

export interface RootsAt {
  readonly store: ValueStore
  readonly run: ValuedRun
  readonly state: RunState
  readonly unit: Unit
  /** Context as of this seq; captures of the append in the making come on top. */
  readonly seq: number
  readonly pending?: readonly ContextChange[]
  /** The append in the making, for what it has put out itself; absent when all of `state` is committed. */
  readonly append?: AppendValues
  /** Outputs recorded after this seq are not seen; all are when it is absent. */
  readonly outputsUpTo?: number
  readonly attempt?: number
  /** The run that expressions are told; another than the run itself where a result taken over is undone. */
  readonly ownerRunId?: string
}

export async function slotRoots(at: RootsAt, needs: ExpressionNeeds): Promise<ExpressionRoots> {
  const { store, run, state, unit } = at
  const { graph } = state
  const predecessors = graph.dependencies[unit.step] ?? []
  const previous = predecessors.length === 1 ? stepAt(graph, predecessors[0] ?? 0).stepId : undefined
  const { planId, planVersion } = run.identity
  const runId = at.ownerRunId ?? run.identity.runId
  return loadRoots(needs, {
    input: () => changedInput(at),
    context: () => readVariables(store, run, at.seq, at.pending),
    output: (stepId) => stepOutput(store, run, state, stepId, at.outputsUpTo, at.append),
    ...(previous === undefined ? {} : { previousStepId: previous }),
    ...(unit.item < 0 ? {} : { item: { index: unit.item, value: () => itemValue(at) } }),
    run: { id: runId, planId, planVersion, ...(at.attempt === undefined ? {} : { attempt: at.attempt }) },
  })
}

/** UPDATE_PARAMS accepted before the slot's seq are laid over the run's input, oldest first (SIG-13). */
export async function changedInput(at: Pick<RootsAt, 'store' | 'run' | 'state' | 'seq' | 'append'>): Promise<unknown> {
  const input = await runInput(at.store, at.run)
  // A decision sees every change before it, those of its own append too.
  const seqs = seqsBefore(at.state.paramChanges, at.append === undefined ? at.seq : Infinity)
  if (seqs.length === 0) return input
  const changes = await Promise.all(seqs.map((seq) => signalPayload(at, seq)))
  return Object.assign({}, asObject(input), ...changes.map((change) => asObject(change['params']))) as object
}

function seqsBefore(chain: Chain<number> | undefined, seq: number): number[] {
  const seqs: number[] = []
  for (let one = chain; one !== undefined; one = one.next) if (one.value <= seq) seqs.unshift(one.value)
  return seqs
}

/** Fields that INJECT_OVERRIDE and UPDATE_TARGET lay over the mapped input: those recorded before this attempt began. */
export async function stepOverrides(at: RootsAt): Promise<Readonly<Record<string, unknown>>> {
  const recorded = at.state.overrides.get(stepAt(at.state.graph, at.unit.step).stepId) ?? []
  const seqs = recorded.filter((seq) => seq < at.unit.startedSeq)
  const overrides: Record<string, unknown> = {}
  for (const seq of seqs) {
    const payload = await signalPayload(at, seq)
    Object.assign(overrides, asObject(payload['override']))
    if ('newTarget' in payload) overrides['target'] = payload['newTarget']
  }
  return overrides
}

async function signalPayload(
  at: Pick<RootsAt, 'store' | 'run' | 'append'>,
  seq: number,
): Promise<Readonly<Record<string, unknown>>> {
  if (at.append?.holds(seq) === true) return asObject(at.append.signalPayload(seq))
  return asObject(dataOf(await readRecord(logOf(at.store, at.run), seq, 'SignalAccepted'))['signalPayload'])
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** Item lists are recorded once as a blob; the list of a step is kept at hand while its items run. */
async function itemValue(at: RootsAt): Promise<unknown> {
  const { fan } = stepUnit(at.state, at.unit.step)
  const { stepId } = stepAt(at.state.graph, at.unit.step)
  if (fan === undefined) return fail('RUN_QUARANTINED', `an item of '${stepId}', which has none`)
  const { itemsSha256: sha256 } = fan
  const items = await at.run.values.list(`items:${sha256}`, async () =>
    asList(await readBlob(logOf(at.store, at.run), sha256)),
  )
  if (at.unit.item >= items.length) fail('RUN_QUARANTINED', `the list ${sha256} has no item ${at.unit.item}`)
  return items[at.unit.item]
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : fail('RUN_QUARANTINED', 'a stored list of items is no list')
}
