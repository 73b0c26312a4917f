/**
 * What the expressions of one slot see: input with recorded changes, context as of a seq, outputs of steps, its item.
 */
import type { SentEvent } from '../../core/events/sent-event.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Chain, RunState } from '../../core/run/state/state.ts'
import type { Unit } from '../../core/run/state/unit.ts'
import { stepAt, stepUnit } from '../../core/run/state/units.ts'
import type { AppendValues } from '../values/appended.ts'
import type { ExpressionNeeds } from '../expressions/check.ts'
import type { ExpressionRoots, StepEnd } from '../expressions/expressions.ts'
import { dataOf, readBlob, readRecord, type ValueStore } from '../values/read-results.ts'
import { readVariables } from './read-variables.ts'
import { loadRoots, type ContextChange, type RootSources } from '../values/run-context.ts'
import { logOf, runInput, stepEnd, stepOutput, type ValuedRun } from './run-outputs.ts'

export interface RootsAt {
  readonly store: ValueStore
  readonly run: ValuedRun
  readonly state: RunState
  readonly unit: Unit
  /** Context as of this seq; captures of the append in progress come on top. */
  readonly seq: number
  /** Changes of the input up to this seq are seen; up to `seq` when absent. */
  readonly inputUpTo?: number
  readonly pending?: readonly ContextChange[]
  /** The append in progress, for its own outputs; absent when all of `state` is committed. */
  readonly append?: AppendValues
  /** Outputs recorded after this seq are not seen; absent means that all are. */
  readonly outputsUpTo?: number
  readonly attempt?: number
  /** The run id that expressions see; it differs from the run's own where a result taken over is undone. */
  readonly ownerRunId?: string
  /** The event that a wait is asked about. */
  readonly event?: SentEvent
  /** The step as it was done, for what undoes it. */
  readonly step?: () => Promise<NonNullable<ExpressionRoots['step']>>
}

export async function slotRoots(at: RootsAt, needs: ExpressionNeeds): Promise<ExpressionRoots> {
  const { store, run, state, unit } = at
  const { graph } = state
  const predecessors = graph.dependencies[unit.step] ?? []
  const previous = predecessors.length === 1 ? stepAt(graph, predecessors[0] ?? 0).stepId : undefined
  const { planId, planVersion } = run.identity
  const runId = at.ownerRunId ?? run.identity.runId
  const given = run.plan.plan.forItem === undefined ? undefined : () => changedInput(at).then(asObject)
  const own = { index: async () => unit.item, value: () => itemValue(at) }
  const item = unit.item >= 0 ? own : given === undefined ? undefined : itemOfBlock(given)
  return loadRoots(needs, {
    input: given === undefined ? () => changedInput(at) : () => given().then(({ input }) => input),
    context: () => readVariables(store, run, at.seq, at.pending),
    output: (stepId) =>
      given === undefined || graph.indexOf.has(stepId)
        ? stepOutput(store, run, state, stepId, at.outputsUpTo, at.append)
        : given().then(({ steps }) => asObject(asObject(steps)[stepId])['output'] ?? null),
    end: async (stepId) =>
      given === undefined || graph.indexOf.has(stepId)
        ? stepEnd(state, stepId, at.outputsUpTo)
        : endOfOuter(asObject(asObject((await given())['steps'])[stepId])),
    ...(previous === undefined ? {} : { previousStepId: previous }),
    ...(item === undefined ? {} : { item }),
    run: { id: runId, planId, planVersion, ...(at.attempt === undefined ? {} : { attempt: at.attempt }) },
    ...(at.event === undefined ? {} : { event: at.event }),
    ...(at.step === undefined ? {} : { step: at.step }),
  })
}

/** As it was handed in; a block that asks for no status is handed none. */
function endOfOuter({ status, error }: Readonly<Record<string, unknown>>): StepEnd {
  return { status, error: error ?? null } as StepEnd
}

type BlockInput = () => Promise<Readonly<Record<string, unknown>>>

/** A run that is the block of a forEach has one item for all its steps. */
function itemOfBlock(given: BlockInput): NonNullable<RootSources['item']> {
  return { index: () => given().then(({ index }) => index), value: () => given().then(({ item }) => item) }
}

/** UPDATE_PARAMS accepted before the slot's seq are merged over the run's input, oldest first (SIG-13). */
export async function changedInput(
  at: Pick<RootsAt, 'store' | 'run' | 'state' | 'seq' | 'inputUpTo' | 'append'>,
): Promise<unknown> {
  const input = await runInput(at.store, at.run)
  // A decision sees every change before it, including those of its own append.
  const seqs = seqsBefore(at.state.paramChanges, at.append === undefined ? (at.inputUpTo ?? at.seq) : Infinity)
  if (seqs.length === 0) return input
  const changes = await Promise.all(seqs.map((seq) => signalPayload(at, seq)))
  return Object.assign({}, asObject(input), ...changes.map((change) => asObject(change['params']))) as object
}

function seqsBefore(chain: Chain<number> | undefined, seq: number): number[] {
  const seqs: number[] = []
  for (let one = chain; one !== undefined; one = one.next) if (one.value <= seq) seqs.unshift(one.value)
  return seqs
}

/**
 * Fields that INJECT_OVERRIDE and UPDATE_TARGET put over the mapped input: those recorded before this attempt began.
 */
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

/** An item list is recorded once as a blob; it is cached while the items of its step run. */
async function itemValue(at: RootsAt): Promise<unknown> {
  const { fan } = stepUnit(at.state, at.unit.step)
  const { stepId } = stepAt(at.state.graph, at.unit.step)
  if (fan === undefined) return fail('RUN_QUARANTINED', `the log names an item of '${stepId}', which has no items`)
  const { itemsSha256: sha256 } = fan
  const items = await at.run.values.list(`items:${sha256}`, async () =>
    asList(await readBlob(logOf(at.store, at.run), sha256)),
  )
  if (at.unit.item >= items.length) fail('RUN_QUARANTINED', `the list ${sha256} has no item ${at.unit.item}`)
  return items[at.unit.item]
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : fail('RUN_QUARANTINED', 'a stored list of items is not a list')
}
