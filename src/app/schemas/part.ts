/**
 * How a value is checked against a part of a JSON Schema. Every check is charged, so that doubling references,
 * recursion and wide combinations cost what they really do; work is counted, not timed, so that a value gets the same
 * verdict on every machine.
 */
import { LIMITS } from '../../core/limits.ts'

export class SchemaTooCostly extends Error {}

/** What checking one value may cost: work, and bytes of the defaults that are filled in. */
export class SchemaBudget {
  #work = 0
  #bytes = 0
  /** Are defaults filled in at all? */
  readonly fills: boolean

  constructor(fills: boolean) {
    this.fills = fills
  }

  /** A property, so that it can be passed as a function. */
  readonly spend = (work: number): void => {
    this.#work += work
    if (this.#work > LIMITS.schemaWork)
      throw new SchemaTooCostly(
        `Checking the value against its schema takes more than ${LIMITS.schemaWork} steps of work.`,
      )
  }

  build(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > LIMITS.valueBytes)
      throw new SchemaTooCostly(`The defaults of the schema make the value larger than ${LIMITS.valueBytes} bytes.`)
  }
}

/** From a part of the value to the whole; written as text only for a mistake. */
export interface Path {
  readonly key: string | number
  readonly parent: Path | undefined
}

export interface Mistake {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/**
 * For `unevaluatedProperties` and `unevaluatedItems`: the parts of the value that some part of the schema has
 * evaluated.
 */
export interface Seen {
  readonly names: Set<string>
  readonly places: Set<number>
  allNames: boolean
  allPlaces: boolean
}

/** The documents (`$id`) on the way to a part, for `$dynamicRef`. */
export interface Scope {
  readonly document: SchemaDocument
  readonly outer: Scope | undefined
}

export interface SchemaDocument {
  readonly dynamicAnchors: Map<string, Part>
}

export interface Frame {
  readonly budget: SchemaBudget
  readonly path: Path | undefined
  /** Absent where only the verdict is wanted, not the mistakes. */
  readonly mistakes: Mistake[] | undefined
  readonly seen: Seen | undefined
  readonly scope: Scope
  /** Are defaults filled in here? Not below a choice: those of a rejected branch would stay. */
  readonly fills: boolean
}

export type Check = (value: unknown, frame: Frame) => boolean

export interface Part {
  readonly document: SchemaDocument
  /** Filled when all parts are known, since parts refer to each other. */
  checks: readonly Check[]
  readonly asksForSeen: boolean
}

export const MISTAKES_TOLD = 10

/** In steps, where one is the meeting of a part by itself: what is made for a meeting costs more than the meeting. */
const FRAME_WORK = 2
const SEEN_WORK = 8
const NOTE_WORK = 6

export function meet(part: Part, value: unknown, given: Frame): boolean {
  given.budget.spend(1 + part.checks.length)
  const frame = framed(part, given)
  let isValid = true
  for (const check of part.checks) {
    if (check(value, frame)) continue
    isValid = false
    if (isEnough(frame)) return false
  }
  if (isValid && frame.seen !== given.seen) addSeen(given, frame.seen)
  return isValid
}

function framed(part: Part, given: Frame): Frame {
  const isElsewhere = part.document !== given.scope.document
  if (!isElsewhere && !part.asksForSeen) return given
  const scope = isElsewhere ? { document: part.document, outer: given.scope } : given.scope
  return changed(given, { scope, seen: part.asksForSeen ? newSeen(given) : given.seen })
}

/** The same place, seen otherwise. */
export function changed(frame: Frame, change: Partial<Frame>): Frame {
  frame.budget.spend(FRAME_WORK)
  return { ...frame, ...change }
}

/** After a mistake: can the check stop? */
export function isEnough({ mistakes }: Frame): boolean {
  return mistakes === undefined || mistakes.length >= MISTAKES_TOLD
}

export function below(frame: Frame, key: string | number): Frame {
  frame.budget.spend(FRAME_WORK)
  return { ...frame, path: { key, parent: frame.path }, seen: undefined }
}

export function mistaken(frame: Frame, message: string): false {
  if (frame.mistakes !== undefined && frame.mistakes.length < MISTAKES_TOLD) {
    const path: (string | number)[] = []
    for (let at = frame.path; at !== undefined; at = at.parent) path.push(at.key)
    frame.budget.spend(path.length)
    frame.mistakes.push({ path: path.reverse(), message })
  }
  return false
}

export function newSeen({ budget }: Frame): Seen {
  budget.spend(SEEN_WORK)
  return { names: new Set(), places: new Set(), allNames: false, allPlaces: false }
}

/** What a matching branch has evaluated counts for the whole. */
export function addSeen({ budget, seen }: Frame, more: Seen | undefined): void {
  if (seen === undefined || more === undefined) return
  budget.spend(NOTE_WORK * (more.names.size + more.places.size))
  for (const name of more.names) seen.names.add(name)
  for (const place of more.places) seen.places.add(place)
  seen.allNames ||= more.allNames
  seen.allPlaces ||= more.allPlaces
}

export function noteName({ budget, seen }: Frame, name: string): void {
  if (seen === undefined) return
  budget.spend(NOTE_WORK)
  seen.names.add(name)
}

export function notePlace({ budget, seen }: Frame, place: number): void {
  if (seen === undefined) return
  budget.spend(NOTE_WORK)
  seen.places.add(place)
}

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
