/**
 * A state as plain JSON and back: what a stored checkpoint holds (P-51). The compiled graph is left out; timers are rebuilt from
 * the units, so the heaps' inner shape never matters.
 */
import { bitAdd, bitMembers, bitTree, type BitTree } from '../../collections/bit-tree.ts'
import { heapInsert } from '../../collections/timer-heap.ts'
import { vectorGet, vectorOf, vectorSet, type Vector } from '../../collections/vector.ts'
import type { PlanGraph } from '../../plan/compile/graph.ts'
import type { Chain, RunState, CompensationProgress } from './state.ts'
import { initialState } from './initial-state.ts'
import type { Fan, Unit } from './unit.ts'

type Packed = Readonly<Record<string, unknown>>

const LEFT_OUT: ReadonlySet<string> = new Set(['graph', 'retries', 'waits', 'timers', 'compensation'])
const SETS = [
  'ready',
  'readyFree',
  'early',
  'skippedByCondition',
  'inFlight',
  'parked',
  'openFans',
  'doneFans',
] as const
const CHAINS = ['failures', 'completions', 'paramChanges', 'usedEvents'] as const

export function packState(state: RunState): Packed {
  const packed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(state)) if (!LEFT_OUT.has(name)) packed[name] = value
  for (const name of SETS) packed[name] = [...bitMembers(state[name])]
  for (const name of CHAINS) packed[name] = listOf<unknown>(state[name])
  packed['units'] = entries(state.units).map(([index, unit]) => [index, packUnit(unit)])
  packed['pending'] = entries(state.pending)
  packed['overrides'] = [...state.overrides]
  packed['undo'] = packCompensation(state.compensation)
  packed['cancelling'] = state.cancelling ?? null
  return packed
}

/** Stored under the name `undo`, as in checkpoints of earlier versions. */
function packCompensation(compensation: CompensationProgress | undefined): unknown {
  if (compensation === undefined) return null
  return { ...compensation, rest: listOf(compensation.rest).length, current: compensation.current ?? null }
}

function unpackCompensation(
  undo:
    | (Omit<CompensationProgress, 'rest' | 'current'> & {
        rest: number
        current: CompensationProgress['current'] | null
      })
    | null,
  completions: RunState['completions'],
): CompensationProgress | undefined {
  return undo === null
    ? undefined
    : { ...undo, current: undo.current ?? undefined, rest: tailOf(completions, undo.rest) }
}

function packUnit(unit: Unit): unknown {
  if (unit.fan === undefined) return unit
  const { ready, failed, held, ...rest } = unit.fan
  return {
    ...unit,
    fan: { ...rest, ready: [...bitMembers(ready)], failed: [...bitMembers(failed)], held: [...bitMembers(held)] },
  }
}

export function unpackState(graph: PlanGraph, packed: Packed): RunState {
  const unitCount = packed['unitCount'] as number
  const completions = chainOf(
    packed['completions'] as RunState['completions'] extends Chain<infer T> | undefined ? readonly T[] : never,
  )
  const { undo, ...fields } = packed
  const state: RunState = {
    // JSON drops what is undefined: the fields stand in the order of a fresh fold, so the same facts are the same text.
    ...initialState(graph),
    ...(fields as unknown as RunState),
    graph,
    units: unpackUnits(packed['units'] as readonly (readonly [number, Packed])[], unitCount),
    pending: vectorFrom(packed['pending'] as readonly (readonly [number, number])[], graph.steps.length),
    ...unpackSets(packed, graph.steps.length, unitCount),
    failures: chainOf(packed['failures'] as never),
    completions,
    paramChanges: chainOf(packed['paramChanges'] as never),
    // Absent in a checkpoint of an earlier version.
    usedEvents: chainOf((packed['usedEvents'] ?? []) as readonly string[]),
    overrides: new Map(packed['overrides'] as readonly (readonly [string, readonly number[]])[]),
    compensation: unpackCompensation(undo as never, completions),
    cancelling: (packed['cancelling'] as RunState['cancelling'] | null) ?? undefined,
    retries: undefined,
    waits: undefined,
    timers: undefined,
  }
  return withTimers(state)
}

function unpackSets(packed: Packed, steps: number, units: number): Pick<RunState, (typeof SETS)[number]> {
  const set = (name: (typeof SETS)[number]): BitTree => {
    const capacity = name === 'inFlight' || name === 'parked' ? units : steps
    return bitsOf(packed[name] as readonly number[], capacity)
  }
  return {
    ready: set('ready'),
    readyFree: set('readyFree'),
    early: set('early'),
    skippedByCondition: set('skippedByCondition'),
    inFlight: set('inFlight'),
    parked: set('parked'),
    openFans: set('openFans'),
    doneFans: set('doneFans'),
  }
}

function bitsOf(members: readonly number[], capacity: number): BitTree {
  return members.reduce(bitAdd, bitTree(capacity))
}

function unpackUnits(packed: readonly (readonly [number, Packed])[], count: number): Vector<Unit> {
  let units = vectorOf<Unit>(count)
  for (const [index, unit] of packed) units = vectorSet(units, index, unpackUnit(unit))
  return units
}

function unpackUnit(packed: Packed): Unit {
  const fan = packed['fan'] as
    (Omit<Fan, 'ready' | 'failed' | 'held'> & { ready: number[]; failed: number[]; held: number[] }) | undefined
  if (fan === undefined) return { ...(packed as unknown as Unit), fan: undefined }
  const bits = (members: readonly number[]): BitTree => bitsOf(members, fan.count)
  return {
    ...(packed as unknown as Unit),
    fan: { ...fan, ready: bits(fan.ready), failed: bits(fan.failed), held: bits(fan.held) },
  }
}

function vectorFrom<T>(pairs: readonly (readonly [number, T])[], length: number): Vector<T> {
  return pairs.reduce((vector, [index, value]) => vectorSet(vector, index, value), vectorOf<T>(length))
}

function entries<T>(vector: Vector<T>): (readonly [number, T])[] {
  const pairs: (readonly [number, T])[] = []
  for (let index = 0; index < vector.length; index += 1) {
    const value = vectorGet(vector, index)
    if (value !== undefined) pairs.push([index, value])
  }
  return pairs
}

function listOf<T>(chain: Chain<T> | undefined): T[] {
  const list: T[] = []
  for (let at = chain; at !== undefined; at = at.next) list.push(at.value)
  return list
}

function chainOf<T>(list: readonly T[]): Chain<T> | undefined {
  return list.reduceRight<Chain<T> | undefined>((next, value) => ({ value, next }), undefined)
}

/** The last `length` links: what was still to be undone is a tail of the completions. */
function tailOf<T>(chain: Chain<T> | undefined, length: number): Chain<T> | undefined {
  let at = chain
  for (let skip = listOf(chain).length - length; skip > 0 && at !== undefined; skip -= 1) at = at.next
  return at
}

function withTimers(state: RunState): RunState {
  let { retries, waits, timers } = state
  for (const [index, unit] of entries(state.units)) {
    const { attempt, dueAt, timeoutAt } = unit
    if (unit.backoff) retries = heapInsert(retries, { dueAt, kind: 'retry', unit: index, attempt })
    if (unit.status !== 'RUNNING') continue
    const wait = { dueAt, kind: 'wait', unit: index, attempt } as const
    if (dueAt >= 0 && unit.dueIsActive) waits = heapInsert(waits, wait)
    if (dueAt >= 0 && !unit.dueIsActive) timers = heapInsert(timers, wait)
    if (timeoutAt >= 0) timers = heapInsert(timers, { dueAt: timeoutAt, kind: 'timeout', unit: index, attempt })
  }
  return { ...state, retries, waits, timers }
}
