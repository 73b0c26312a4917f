/**
 * A view as text and back, for stored views (P-51). Only a cache of the log: text of another version, of another run or
 * damaged in any way is not used, and the caller replays in full (PRJ-15).
 */
import { vectorGet, vectorGrow, vectorOf, vectorSet, type Vector } from '../../collections/vector.ts'
import type { ArtifactRef } from '../../events/event.ts'
import { addName, numberOf } from '../fold/name-index.ts'
import { fieldsOf } from '../fold/reading.ts'
import type { RunMeta } from '../fold/run-meta.ts'
import {
  emptyView,
  type FanFold,
  type RunFold,
  type RunView,
  type SlotPair,
  type StepFold,
  type Tally,
} from '../fold/run-view.ts'

/** Raised whenever the content of the fold changes. */
export const VIEW_VERSION = 3

interface StoredView {
  readonly viewVersion: number
  readonly runId: string
  readonly lastEventSeq: number
  readonly run: RunFold
  readonly tally: Tally
  readonly itemCount: number
  readonly steps: readonly (readonly [string, StoredStep])[]
  readonly artifacts: readonly ArtifactRef[]
}
type StoredStep = SlotPair & {
  readonly fan?: Omit<FanFold, 'items'> & { readonly items: readonly (readonly [number, SlotPair])[] }
}

export function viewToText(view: RunView): string {
  const { meta, lastEventSeq, run, tally, itemCount } = view
  const stored: StoredView = {
    viewVersion: VIEW_VERSION,
    runId: meta.runId,
    lastEventSeq,
    run,
    tally,
    itemCount,
    steps: entries(view.steps).map(([number, step]) => [nameOf(view, number), storedStep(step)]),
    artifacts: entries(view.artifacts).map(([, artifact]) => artifact),
  }
  return JSON.stringify(stored)
}

export function viewFromText(text: string, meta: RunMeta): RunView | undefined {
  const stored = parse(text)
  if (stored === undefined || stored.runId !== meta.runId) return undefined
  const empty = emptyView(meta)
  let { names, extraNames, steps } = empty
  for (const [stepId, step] of stored.steps) {
    const found = numberOf(names, stepId)
    if (found === undefined) {
      extraNames = vectorSet(vectorGrow(extraNames, extraNames.length + 1), extraNames.length, stepId)
      steps = vectorGrow(steps, names.size + 1)
      names = addName(names, stepId)
    }
    steps = vectorSet(steps, found ?? names.size - 1, liveStep(step))
  }
  const artifacts = filled(
    stored.artifacts.length,
    stored.artifacts.map((artifact, at) => [at, artifact] as const),
  )
  return {
    ...empty,
    names,
    extraNames,
    steps,
    artifacts,
    lastEventSeq: stored.lastEventSeq,
    run: stored.run,
    tally: stored.tally,
    itemCount: stored.itemCount,
  }
}

function parse(text: string): StoredView | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { viewVersion, lastEventSeq, run, tally, steps, artifacts } = fieldsOf(value)
  const whole = Array.isArray(steps) && Array.isArray(artifacts) && typeof run === 'object' && typeof tally === 'object'
  return viewVersion === VIEW_VERSION && Number.isInteger(lastEventSeq) && whole ? (value as StoredView) : undefined
}

function storedStep(step: StepFold): StoredStep {
  const { own, fallback, fan } = step
  return { own, fallback, ...(fan === undefined ? {} : { fan: { ...fan, items: entries(fan.items) } }) }
}

function liveStep({ own, fallback, fan }: StoredStep): StepFold {
  return { own, fallback, fan: fan === undefined ? undefined : { ...fan, items: filled(fan.total, fan.items) } }
}

function nameOf(view: RunView, number: number): string {
  const known = view.meta.stepIds.length
  return (number < known ? view.meta.stepIds[number] : vectorGet(view.extraNames, number - known)) ?? ''
}

function entries<T>(vector: Vector<T>): readonly (readonly [number, T])[] {
  const out: (readonly [number, T])[] = []
  for (let at = 0; at < vector.length; at += 1) {
    const value = vectorGet(vector, at)
    if (value !== undefined) out.push([at, value])
  }
  return out
}

function filled<T>(length: number, pairs: readonly (readonly [number, T])[]): Vector<T> {
  return pairs.reduce((vector, [at, value]) => vectorSet(vector, at, value), vectorOf<T>(length))
}
