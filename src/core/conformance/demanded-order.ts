/**
 * The order that a run's plan and its decisions demand in its log: dependencies, items within their fan-out, a fallback
 * after its failure, compensations in their order, effects of a signal after the signal. All other events may come in
 * any order.
 */
import type { Plan } from '../plan/plan.ts'
import type { CanonicalEvent } from './canonical-event.ts'

/** Each demanded pair with both ends in the log, with `<` where the order is kept and `>` where it is not; sorted. */
export function demandedOrder(plan: Plan, events: readonly CanonicalEvent[]): readonly string[] {
  const found = new Set<string>()
  const log = new Positions(events)
  const demand = (before: Place | undefined, after: Place | undefined): void => {
    if (before === undefined || after === undefined) return
    found.add(`${before.name} ${before.at < after.at ? '<' : '>'} ${after.name}`)
  }
  for (const [before, after] of dependencies(plan)) demand(log.last(before), log.first(after))
  demandWithinSteps(log, demand)
  demandAroundRun(log, events, demand)
  demandOfSignals(log, events, demand)
  return [...found, ...undoneInTurn(events), ...startedWhilePaused(events)].sort()
}

interface Place {
  readonly at: number
  readonly name: string
}
type Demand = (before: Place | undefined, after: Place | undefined) => void

class Positions {
  readonly slots = new Map<string, { readonly first: Place; last: Place }>()

  constructor(events: readonly CanonicalEvent[]) {
    events.forEach((event, at) => {
      const place = { at, name: nameOf(event) }
      const known = this.slots.get(event.slot)
      if (known === undefined) this.slots.set(event.slot, { first: place, last: place })
      else known.last = place
    })
  }

  first(slot: string): Place | undefined {
    return this.slots.get(slot)?.first
  }

  last(slot: string): Place | undefined {
    return this.slots.get(slot)?.last
  }
}

export function nameOf({ eventType, slot, attempt }: CanonicalEvent): string {
  return `${eventType} ${slot}#${attempt}`
}

function dependencies({ steps }: Plan): readonly (readonly [string, string])[] {
  return steps.flatMap((step, index) => {
    const before = step.dependsOn ?? steps.slice(Math.max(0, index - 1), index).map(({ stepId }) => stepId)
    return before.map((stepId) => [stepId, step.stepId] as const)
  })
}

const ITEM = /^(?:FALLBACK:)?([^[]+)\[\d+\]$/
const FALLBACK = /^FALLBACK:(.+)$/

function demandWithinSteps(log: Positions, demand: Demand): void {
  for (const [slot, { first, last }] of log.slots) {
    const parent = ITEM.exec(slot)?.[1]
    if (parent !== undefined) {
      demand(log.first(parent), first)
      demand(last, log.last(parent))
    }
    const failed = FALLBACK.exec(slot)?.[1]
    if (failed !== undefined) demand(log.last(failed), first)
  }
}

const ENDS: ReadonlySet<string> = new Set(['RunCompleted', 'RunFailed', 'RunCancelled'])
const AFTER_THE_END = /^(SIGNAL:|LATE:|FORK:|ALERT:|RUN$)/

function demandAroundRun(log: Positions, events: readonly CanonicalEvent[], demand: Demand): void {
  const startedAt = events.findIndex(({ eventType }) => eventType === 'RunStarted')
  const endedAt = events.findIndex(({ eventType }) => ENDS.has(eventType))
  const placeAt = (at: number): Place | undefined => {
    const event = events[at]
    return event === undefined ? undefined : { at, name: nameOf(event) }
  }
  for (const [slot, { first, last }] of log.slots) {
    if (AFTER_THE_END.test(slot)) continue
    demand(placeAt(startedAt), first)
    demand(last, placeAt(endedAt))
  }
}

function demandOfSignals(log: Positions, events: readonly CanonicalEvent[], demand: Demand): void {
  events.forEach((event, at) => {
    if (event.causedBy === undefined || event.slot === `SIGNAL:${event.causedBy}`) return
    demand(log.first(`SIGNAL:${event.causedBy}`), { at, name: nameOf(event) })
  })
}

function undoneInTurn(events: readonly CanonicalEvent[]): readonly string[] {
  const begun = events.filter(({ eventType }) => eventType === 'CompensationStarted').map(nameOf)
  return begun.slice(1).map((name, index) => `${begun[index] ?? ''} < ${name}`)
}

function startedWhilePaused(events: readonly CanonicalEvent[]): readonly string[] {
  const started: string[] = []
  let paused = false
  for (const event of events) {
    if (event.eventType === 'RunPaused') paused = true
    else if (event.eventType === 'RunResumed') paused = false
    else if (paused && event.eventType === 'StepStarted') started.push(`${nameOf(event)} while paused`)
  }
  return started
}
