/**
 * What an act would do, decided by the core itself on a copy of the state that the page holds. Nothing is sent. What follows later is
 * foreseen under one assumption: steps that are asked to stop do so, and what undoes succeeds.
 */
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import type { StepEffect } from '../../../src/core/plan/plan.ts'
import { decide } from '../../../src/core/run/decide/decide.ts'
import type { Draft } from '../../../src/core/run/draft.ts'
import type { Effect } from '../../../src/core/run/effect.ts'
import { CANCELLED_ERROR } from '../../../src/core/run/failure/step-errors.ts'
import type { InputBody } from '../../../src/core/run/input.ts'
import type { RunState } from '../../../src/core/run/state/state.ts'
import { isTerminalRun } from '../../../src/core/run/state/transitions.ts'
import { locate, stepAt } from '../../../src/core/run/state/units.ts'

export interface Foreseen {
  readonly refusal?: { readonly code: string; readonly why: string }
  /** Events of the decision itself, and of those that follow from it. */
  readonly atOnce: readonly Draft[]
  readonly later: readonly Draft[]
  readonly starts: readonly string[]
  /** Those that had an attempt before, with the effect that their plan declares. */
  readonly repeats: readonly { readonly slot: string; readonly effect: StepEffect }[]
  readonly stops: readonly string[]
  readonly undoes: readonly string[]
  readonly closesTasks: readonly string[]
  /** Their conditions, lists or waits are evaluated first, by the server. */
  readonly asks: readonly string[]
  readonly ends?: string
}

/** More is not foreseen: a long undoing is told by its beginning. */
const MOST_TURNS = 200

export function foresee(graph: PlanGraph, state: RunState, act: InputBody, clock: Clock): Foreseen {
  const first = decide(graph, state, { ...act, ...clock })
  const later: Draft[] = []
  let { effects, state: after } = first
  for (let turn = 0; turn < MOST_TURNS && effects.length > 0 && !isTerminalRun(after.status); turn += 1) {
    const next: Effect[] = []
    for (const effect of effects) {
      const answer = answerTo(effect)
      if (answer === undefined) continue
      const result = decide(graph, after, { ...answer, ...clock })
      later.push(...result.drafts)
      next.push(...result.effects)
      after = result.state
    }
    effects = next
  }
  return told(state, first.drafts, later, {
    stops: first.effects.filter(isStop).map(({ slot }) => slot),
    asks: first.needs.map(({ slot }) => slot),
    ...(isTerminalRun(after.status) ? { ends: after.status } : {}),
  })
}

export interface Clock {
  readonly now: number
  readonly epoch: number
}

const isStop = ({ kind }: Effect): boolean => kind === 'CancelStep' || kind === 'SignalChild'

/** Undefined: whatever it does, it does in its own time. */
function answerTo(effect: Effect): InputBody | undefined {
  if (effect.kind !== 'CancelStep' && effect.kind !== 'Compensate') return undefined
  const { slot, attempt, engineAttempt } = effect
  const outcome =
    effect.kind === 'CancelStep'
      ? ({ kind: 'failed', error: CANCELLED_ERROR } as const)
      : ({ kind: 'completed', payload: { artifactRefs: [] } } as const)
  return { kind: 'outcome', slot, attempt, engineAttempt, outcome }
}

type Rest = Pick<Foreseen, 'stops' | 'asks' | 'ends'>

function told(state: RunState, atOnce: readonly Draft[], later: readonly Draft[], rest: Rest): Foreseen {
  const all = [...atOnce, ...later]
  const slotsOf = (type: string): string[] => all.filter(({ eventType }) => eventType === type).map(({ slot }) => slot)
  const starts = slotsOf('StepStarted')
  const ended = new Set([...slotsOf('StepFailed'), ...slotsOf('StepSkipped')])
  const rejected = atOnce.find(({ eventType }) => eventType === 'SignalRejected')?.payload as Rejection | undefined
  return {
    ...(rejected === undefined ? {} : { refusal: { code: rejected.reasonCode, why: rejected.reason } }),
    atOnce,
    later,
    starts,
    repeats: starts.flatMap((slot) => repeatOf(state, slot)),
    undoes: [...new Set(slotsOf('CompensationStarted').map((slot) => slot.slice('COMP:'.length)))],
    closesTasks: [...ended].filter((slot) => isOpenTask(state, slot)),
    ...rest,
  }
}

interface Rejection {
  readonly reasonCode: string
  readonly reason: string
}

function repeatOf(state: RunState, slot: string): Foreseen['repeats'] {
  const unit = locate(state, slot)?.unit
  if (unit === undefined || unit.attempt === 0) return []
  const { effect } = stepAt(state.graph, unit.step)
  return effect === 'none' ? [] : [{ slot, effect }]
}

function isOpenTask(state: RunState, slot: string): boolean {
  const unit = locate(state, slot)?.unit
  return unit !== undefined && unit.status === 'RUNNING' && state.graph.kinds[unit.step] === 'manual'
}
