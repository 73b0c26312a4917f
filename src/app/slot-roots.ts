/**
 * What the expressions of one slot see: input with recorded changes, context as of a seq, outputs of steps, its item.
 */
import { vectorGet } from '../core/collections/vector.ts'
import type { Chain, RunState, Unit } from '../core/run/state.ts'
import { stepAt } from '../core/run/units.ts'
import type { RunStore } from '../ports/run-store.ts'
import type { ExpressionNeeds } from './expression-check.ts'
import type { ExpressionRoots } from './expressions.ts'
import type { LoadedRun } from './load-run.ts'
import { readVariables } from './read-variables.ts'
import { loadRoots, type ContextChange } from './run-context.ts'
import { readBlob, runInput, stepOutput } from './run-outputs.ts'
import { recordOf } from './read-events.ts'

export interface RootsAt {
  readonly store: RunStore
  readonly run: LoadedRun
  readonly state: RunState
  readonly unit: Unit
  /** Context as of this seq; captures of the append in the making come on top. */
  readonly seq: number
  readonly pending?: readonly ContextChange[]
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
    output: (stepId) => stepOutput(store, run, state, stepId, at.outputsUpTo),
    ...(previous === undefined ? {} : { previousStepId: previous }),
    ...(unit.item < 0 ? {} : { item: { index: unit.item, value: () => itemValue(at) } }),
    run: { id: runId, planId, planVersion, ...(at.attempt === undefined ? {} : { attempt: at.attempt }) },
  })
}

/** UPDATE_PARAMS accepted before the slot's seq are laid over the run's input, oldest first (SIG-13). */
export async function changedInput(at: Pick<RootsAt, 'store' | 'run' | 'state' | 'seq'>): Promise<unknown> {
  const input = await runInput(at.store, at.run)
  const seqs = seqsBefore(at.state.paramChanges, at.seq)
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
  at: Pick<RootsAt, 'store' | 'run'>,
  seq: number,
): Promise<Readonly<Record<string, unknown>>> {
  const [stored] = await at.store.readEvents(at.run.row.runKey, { afterSeq: seq - 1, limit: 1 })
  const record = stored === undefined ? undefined : recordOf(stored)
  return record?.ok === true ? asObject(record.value.data?.['signalPayload']) : {}
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

const ITEMS_KEY = -1_000_000

/** Item lists are recorded once as a blob; the list of a step is kept at hand while its items run. */
async function itemValue(at: RootsAt): Promise<unknown> {
  const key = ITEMS_KEY - at.unit.step
  let items = at.run.outputs.get(key) as readonly unknown[] | undefined
  if (items === undefined) {
    items = (await readItems(at)) ?? []
    at.run.outputs.set(key, items)
  }
  return items[at.unit.item] ?? null
}

async function readItems(at: RootsAt): Promise<readonly unknown[] | undefined> {
  const parent = vectorGet(at.state.units, at.unit.step)
  if (parent?.fan === undefined) return undefined
  return (await readBlob(at.store, at.run.row.runKey, parent.fan.itemsSha256)) as readonly unknown[]
}
