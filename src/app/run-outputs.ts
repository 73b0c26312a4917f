/**
 * Where outputs lie: the fold keeps the seq of each step's last StepCompleted, the output is `data.result` there, or a
 * blob when it was large (P-43). A forEach step's output is the list of its items' outputs by index.
 */
import { vectorGet } from '../core/collections/vector.ts'
import { fail } from '../core/problems/problem.ts'
import type { RunState, Unit } from '../core/run/state.ts'
import { stepUnit } from '../core/run/units.ts'
import type { RunKey, RunStore } from '../ports/run-store.ts'
import type { LoadedRun } from './load-run.ts'
import { recordOf } from './read-events.ts'

/** `upTo` hides what was recorded later: a re-dispatch must not see more than the first dispatch did (P-17). */
export async function stepOutput(
  store: RunStore,
  run: LoadedRun,
  state: RunState,
  stepId: string,
  upTo = Infinity,
): Promise<unknown> {
  const index = state.graph.indexOf.get(stepId)
  if (index === undefined) return null
  const unit = stepUnit(state, index)
  if (unit.fan !== undefined && unit.status === 'SUCCESS')
    return unit.outputSeq > upTo ? null : fanOutput(store, run, state, unit)
  const seq = unit.recovered
    ? (vectorGet(state.units, state.graph.fallbackIndex[index] ?? -1)?.outputSeq ?? 0)
    : unit.outputSeq
  return seq === 0 || seq > upTo ? null : outputAt(store, run, seq)
}

async function fanOutput(store: RunStore, run: LoadedRun, state: RunState, parent: Unit): Promise<readonly unknown[]> {
  const { fan } = parent
  if (fan === undefined) return []
  const outputs: unknown[] = []
  for (let item = 0; item < fan.count; item += 1) {
    const unit = vectorGet(state.units, fan.base + item)
    const seq =
      unit?.recovered === true
        ? (vectorGet(state.units, fan.fallbackBase + item)?.outputSeq ?? 0)
        : (unit?.outputSeq ?? 0)
    outputs.push(seq === 0 ? null : await outputAt(store, run, seq))
  }
  return outputs
}

/** Output recorded by the event with this seq. */
async function outputAt(store: RunStore, run: LoadedRun, seq: number): Promise<unknown> {
  const known = run.outputs.get(seq)
  if (known !== undefined) return known
  const output = (await readOutput(store, run.row.runKey, seq)) ?? null
  run.outputs.set(seq, output)
  return output
}

async function readOutput(store: RunStore, runKey: RunKey, seq: number): Promise<unknown> {
  const [stored] = await store.readEvents(runKey, { afterSeq: seq - 1, limit: 1 })
  if (stored === undefined || stored.runSeq !== seq) return null
  const record = recordOf(stored)
  if (!record.ok) fail('RUN_QUARANTINED', `event ${seq} of run ${runKey} cannot be read`)
  const ref = record.value.payload?.['resultRef'] as { sha256: string } | undefined
  return ref === undefined ? record.value.data?.['result'] : readBlob(store, runKey, ref.sha256)
}

export async function readBlob(store: RunStore, runKey: RunKey, sha256: string): Promise<unknown> {
  return JSON.parse(await blobText(store, runKey, sha256)) as unknown
}

export async function blobText(store: RunStore, runKey: RunKey, sha256: string): Promise<string> {
  return (await store.getBlob(runKey, sha256)) ?? fail('RUN_QUARANTINED', `the stored value ${sha256} is missing`)
}

/** The run's input: `data.input` of its first event, or the blob it names. */
export async function runInput(store: RunStore, run: LoadedRun): Promise<unknown> {
  const known = run.outputs.get(0)
  if (known !== undefined) return known
  const [stored] = await store.readEvents(run.row.runKey, { limit: 1 })
  if (stored === undefined) return {}
  const record = recordOf(stored)
  if (!record.ok) fail('RUN_QUARANTINED', `the first event of run ${run.row.runId} cannot be read`)
  const ref = record.value.payload?.['inputRef'] as { sha256: string } | undefined
  const input =
    (ref === undefined ? record.value.data?.['input'] : await readBlob(store, run.row.runKey, ref.sha256)) ?? {}
  run.outputs.set(0, input)
  return input
}
