/**
 * What comes from outside in some histories: events for waits that a plan declares, before, at and after their time (P-54), and people
 * who give a run up and want it undone (ADR 0011). Chances of its own, so that all other histories stay what they are.
 */
import type { PlanDoc, StepDoc } from './plan-maker.ts'
import { Rng } from './random.ts'
import type { Act, Scenario } from './scenario.ts'

export const EVENT_NAME = 'parcel.scanned'
/** A key by mapping is the text of the input. */
const EVENT_KEYS = ['A', '2030-01-01T00:00:20.000Z', ''] as const
type EventKey = (typeof EVENT_KEYS)[number]

const WAITS: Readonly<Record<EventKey, Readonly<Record<string, string>>>> = {
  A: { key: 'A' },
  '2030-01-01T00:00:20.000Z': { key: '${input.soon}' },
  '': {},
}

export function withOutside(scenario: Scenario): Scenario {
  const rng = new Rng(`outside ${scenario.seed}`)
  const waiting = rng.chance(0.25) ? withEvents(scenario, rng) : scenario
  return rng.chance(0.25) ? withUndoing(waiting, rng) : waiting
}

function withEvents(scenario: Scenario, rng: Rng): Scenario {
  // Most waits and events of a history are for the same: they compete.
  const common = rng.pick(EVENT_KEYS)
  const keyOf = (): EventKey => (rng.chance(0.7) ? common : rng.pick(EVENT_KEYS))
  const plans = scenario.plans.map((plan) => waitingPlan(plan, rng, keyOf))
  const waits = plans.flatMap(({ steps }) => steps).filter(isEventWait).length
  const count = waits === 0 ? 0 : rng.int(0, Math.min(12, 2 * waits + 2))
  let atMs = 0
  const sent = Array.from({ length: count }, (_, index): Act => {
    // Some at the very same time: neither waits for what comes of the other.
    if (!rng.chance(0.4)) atMs = rng.chance(0.6) ? rng.int(0, 2000) : rng.int(0, scenario.healMs + 3000)
    const repeat = rng.chance(0.25)
    return { kind: 'event', atMs, id: `e${index}`, key: keyOf(), fits: rng.chance(0.7), repeat }
  })
  return { ...scenario, plans, acts: inOrder([...scenario.acts, ...sent]) }
}

/** Waits of the plan, and some of its work, become waits for events; in a row and side by side, most of them for the same. */
function waitingPlan(plan: PlanDoc, rng: Rng, keyOf: () => EventKey): PlanDoc {
  const steps = plan.steps.map((step): StepDoc => {
    const isWait = step['wait'] !== undefined
    if (!(isWait || step['run'] !== undefined) || !rng.chance(isWait ? 0.8 : 0.35)) return step
    const { id, dependsOn, forEach, if: condition, unless } = step
    const wait = {
      forEvent: EVENT_NAME,
      ...WAITS[keyOf()],
      ...(rng.chance(0.4) ? { match: 'event.data.fits' } : {}),
      ...(rng.chance(0.2) ? { timeoutMs: rng.pick([800, 20_000]) } : {}),
    }
    const kept = Object.entries({ dependsOn, forEach, if: condition, unless }).filter(([, one]) => one !== undefined)
    return { id, ...Object.fromEntries(kept), wait }
  })
  return { ...plan, steps }
}

function isEventWait(step: Readonly<Record<string, unknown>>): boolean {
  return (step['wait'] as { readonly forEvent?: string } | undefined)?.forEvent !== undefined
}

/** While steps run, twice, beside a plain cancellation or a stop, and when the run is about to end. */
function withUndoing(scenario: Scenario, rng: Rng): Scenario {
  const before = scenario.acts.map((act): Act => {
    if (act.kind !== 'signal' || act.signalType !== 'CANCEL' || rng.chance(0.3)) return act
    return { ...act, payload: { ...act.payload, undo: true } }
  })
  const atMs = rng.chance(0.8) ? rng.int(0, 2500) : rng.int(0, scenario.healMs + 3000)
  const run = rng.int(0, scenario.runs.length - 1)
  const asked = { kind: 'signal', run, allowed: true } as const
  const cancel = (later: number, payload: Readonly<Record<string, unknown>>): Act => {
    const repeat = rng.chance(0.2) ? rng.pick(['same', 'other'] as const) : 'no'
    return { ...asked, atMs: atMs + later, signalType: 'CANCEL', payload, repeat }
  }
  const more = rng.weighted({ none: 6, twice: 2, plain: 2, stop: 1 })
  const beside: readonly Act[] =
    more === 'twice'
      ? [cancel(rng.int(0, 300), { undo: true })]
      : more === 'plain'
        ? [cancel(rng.int(-100, 100), {})]
        : more === 'stop'
          ? [
              {
                ...asked,
                atMs: atMs + rng.int(0, 6000),
                signalType: 'EMERGENCY_STOP',
                payload: { reason: 'fire' },
                repeat: 'no',
              },
            ]
          : []
  const acts = inOrder([...before, cancel(0, { undo: true, reason: 'wrong order' }), ...beside])
  // Steps that take their time, most of which can be undone: otherwise there is little to undo.
  const behaviour = { ...scenario.behaviour, slowestMs: Math.max(1500, scenario.behaviour.slowestMs) }
  return { ...scenario, acts, behaviour, plans: scenario.plans.map((plan) => undoablePlan(plan, rng)) }
}

function undoablePlan(plan: PlanDoc, rng: Rng): PlanDoc {
  const retry = { maxAttempts: 2, initialBackoffMs: 50, backoffMultiplier: 1, maxBackoffMs: 50 }
  const steps = plan.steps.map((step): StepDoc => {
    if (step['run'] === undefined || step['compensate'] !== undefined || rng.chance(0.4)) return step
    const { id, effect: _effect, ...rest } = step
    return { id, ...rest, compensate: { run: 'undo', with: { n: '${input.n}' }, retry, timeoutMs: 2000 } }
  })
  return { ...plan, steps }
}

const inOrder = (acts: readonly Act[]): readonly Act[] => [...acts].sort((a, b) => a.atMs - b.atMs)
