/**
 * The first difference between two plays of one entry, with its surroundings in both logs; undefined when they are the
 * same partial order.
 */
import canonicalize from 'canonicalize'
import type { CanonicalEvent } from './canonical-event.ts'
import type { CanonicalRun } from './canonical-log.ts'
import { nameOf } from './demanded-order.ts'

export interface Side {
  /** What was found, in words; undefined when nothing was. */
  readonly found?: string
  /** The events around it, in the order of this log. */
  readonly around: readonly string[]
}

export interface Difference {
  readonly kind: 'run' | 'slot' | 'event' | 'payload' | 'order' | 'answer'
  /** `run`, `run/ship#1` … */
  readonly run: string
  readonly slot?: string
  readonly message: string
  readonly left: Side
  readonly right: Side
}

const AROUND = 3

export function comparePlays(left: readonly CanonicalRun[], right: readonly CanonicalRun[]): Difference | undefined {
  const names = [...new Set([...left, ...right].map(({ name }) => name))].sort()
  for (const name of names) {
    const one = left.find((run) => run.name === name)
    const other = right.find((run) => run.name === name)
    const found = one !== undefined && other !== undefined ? compareRuns(one, other) : missingRun(name, one, other)
    if (found !== undefined) return found
  }
  return undefined
}

function missingRun(run: string, left: CanonicalRun | undefined, right: CanonicalRun | undefined): Difference {
  const side = (log: CanonicalRun | undefined): Side =>
    log === undefined ? { around: [] } : { found: 'it is there', around: around(log, 0) }
  const message = `the run is there on one side only`
  return { kind: 'run', run, message, left: side(left), right: side(right) }
}

/** Ordered by the position in the left log, so that the first reported difference is the first that happened. */
function compareRuns(left: CanonicalRun, right: CanonicalRun): Difference | undefined {
  const slots = new Set([...left.events, ...right.events].map(({ slot }) => slot))
  let first: { readonly at: number; readonly difference: Difference } | undefined
  for (const slot of slots) {
    const found = compareSlot(slot, left, right)
    if (found !== undefined && (first === undefined || found.at < first.at)) first = found
  }
  return first?.difference ?? compareOrder(left, right)
}

function compareSlot(
  slot: string,
  left: CanonicalRun,
  right: CanonicalRun,
): { readonly at: number; readonly difference: Difference } | undefined {
  const ours = left.slots.get(slot) ?? []
  const theirs = right.slots.get(slot) ?? []
  const longer = Math.max(ours.length, theirs.length)
  for (let index = 0; index < longer; index += 1) {
    const one = ours[index]
    const other = theirs[index]
    const what = differs(one, other)
    if (what === undefined) continue
    const side = (log: CanonicalRun, own: readonly CanonicalEvent[], event: CanonicalEvent | undefined): Side => {
      const last = event ?? own[index - 1]
      return {
        ...(event === undefined ? {} : { found: whole(event) }),
        around: around(log, last === undefined ? -1 : log.events.indexOf(last)),
      }
    }
    const at = one === undefined ? right.events.indexOf(other as CanonicalEvent) : left.events.indexOf(one)
    const difference: Difference = {
      kind: what.kind,
      run: left.name,
      slot,
      message: what.message,
      left: side(left, ours, one),
      right: side(right, theirs, other),
    }
    return { at, difference }
  }
  return undefined
}

function differs(
  left: CanonicalEvent | undefined,
  right: CanonicalEvent | undefined,
): Pick<Difference, 'kind' | 'message'> | undefined {
  const there = left ?? right
  if (there === undefined) return undefined
  if (left === undefined || right === undefined)
    return { kind: 'event', message: `${nameOf(there)} is in the ${left === undefined ? 'right' : 'left'} log only` }
  if (nameOf(left) !== nameOf(right))
    return { kind: 'event', message: `${nameOf(left)} on the left, ${nameOf(right)} on the right` }
  const path = firstDifference(left, right, '')
  return path === undefined ? undefined : { kind: 'payload', message: `${nameOf(left)} differs in ${path}` }
}

function compareOrder(left: CanonicalRun, right: CanonicalRun): Difference | undefined {
  const only = (one: CanonicalRun, other: CanonicalRun): string | undefined =>
    one.order.find((line) => !other.order.includes(line))
  const ours = only(left, right)
  const theirs = only(right, left)
  if (ours === undefined && theirs === undefined) return undefined
  const side = (log: CanonicalRun, own: string | undefined, other: string | undefined): Side => ({
    ...(own === undefined ? {} : { found: own }),
    around: around(log, placeOf(log, own ?? other ?? '')),
  })
  return {
    kind: 'order',
    run: left.name,
    message: `${ours ?? theirs ?? ''} in the ${ours === undefined ? 'right' : 'left'} log only`,
    left: side(left, ours, theirs),
    right: side(right, theirs, ours),
  }
}

function placeOf({ events }: CanonicalRun, line: string): number {
  return events.findIndex((event) => line.startsWith(`${nameOf(event)} `))
}

/** The path of the first field that differs, depth first, names in order. */
function firstDifference(left: unknown, right: unknown, path: string): string | undefined {
  if (!isTree(left) || !isTree(right) || Array.isArray(left) !== Array.isArray(right))
    return canonicalize(left) === canonicalize(right) ? undefined : path
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()
  for (const name of names) {
    const at = path === '' ? name : `${path}.${name}`
    const found = firstDifference(left[name], right[name], at)
    if (found !== undefined) return found
  }
  return undefined
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function whole({ payload, data, ...rest }: CanonicalEvent): string {
  const told = {
    ...(rest.causedBy === undefined ? {} : { causedBy: rest.causedBy }),
    payload,
    ...(data === undefined ? {} : { data }),
  }
  return `${nameOf(rest as CanonicalEvent)} ${canonicalize(told) ?? ''}`
}

function around({ events }: CanonicalRun, at: number): readonly string[] {
  if (at < 0)
    return events
      .slice(-AROUND)
      .map((event, index) => `${Math.max(0, events.length - AROUND) + index + 1} ${nameOf(event)}`)
  const from = Math.max(0, at - AROUND)
  return events
    .slice(from, at + AROUND + 1)
    .map((event, index) => `${from + index === at ? '>' : ' '} ${from + index + 1} ${nameOf(event)}`)
}
