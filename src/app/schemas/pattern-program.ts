/**
 * The states of a pattern's automaton. Counted repeats are written out, so their number is bounded: otherwise a pattern
 * of a few characters could mean billions of states.
 */
import { PatternRefused, type PatternNode, type Place } from './pattern-syntax.ts'

const MAX_STATES = 20_000
/** A repeat that is written out may not be longer than this; higher counts are refused before they are multiplied. */
const MAX_REPEATS = 5_000

/** All of one shape, which is several times faster to visit than a union of shapes. */
export interface PatternState {
  /** `fork`: both ways are open. `look`: continues where the list of the look-around says so (or does not). */
  readonly kind: 'char' | 'fork' | 'place' | 'look' | 'match'
  readonly test: CharTest | undefined
  readonly place: Place | undefined
  readonly look: number
  readonly negated: boolean
  next: number
  other: number
}

const NONE = { test: undefined, place: undefined, look: -1, negated: false, next: -1, other: -1 }

export interface PatternProgram {
  readonly states: readonly PatternState[]
  readonly start: number
  /** Number of the program within the pattern. */
  readonly id: number
  /** Depends only on the characters read, the beginning and the end. */
  readonly isPlain: boolean
}

export interface Look {
  readonly program: PatternProgram
  /** A look-ahead is matched from the end of the text to its beginning. */
  readonly ahead: boolean
}

export interface PatternPrograms {
  readonly main: PatternProgram
  /** Inner look-arounds before those that contain them. */
  readonly looks: readonly Look[]
}

/** What one character may be; the platform is asked once for each usual character. */
export class CharTest {
  readonly #expression: RegExp
  readonly #ascii = new Int8Array(128)
  /** Many states test the same character. */
  #last = -1
  #lastAllowed = false

  constructor(source: string, flags: string) {
    this.#expression = new RegExp(`^(?:${source})$`, flags)
  }

  allows(code: number): boolean {
    if (code >= 128) {
      if (code !== this.#last) this.#lastAllowed = this.#expression.test(String.fromCodePoint(code))
      this.#last = code
      return this.#lastAllowed
    }
    const known = this.#ascii[code] ?? 0
    if (known !== 0) return known === 1
    const allowed = this.#expression.test(String.fromCharCode(code))
    this.#ascii[code] = allowed ? 1 : 2
    return allowed
  }
}

export function buildPattern(node: PatternNode, flags: string): PatternPrograms {
  const shared: Shared = { flags, tests: new Map(), looks: [], lookOf: new Map(), programs: 0, size: 0 }
  return { main: new Builder(shared, false).program(node), looks: shared.looks }
}

interface Shared {
  readonly flags: string
  readonly tests: Map<string, CharTest>
  readonly looks: Look[]
  /** A look-around that is written out many times is still one. */
  readonly lookOf: Map<PatternNode, number>
  programs: number
  size: number
}

/** Builds from the end: every part knows its following state. */
class Builder {
  readonly #shared: Shared
  readonly #isBackwards: boolean
  readonly #states: PatternState[] = []
  #isPlain = true

  constructor(shared: Shared, isBackwards: boolean) {
    this.#shared = shared
    this.#isBackwards = isBackwards
  }

  program(node: PatternNode): PatternProgram {
    const start = this.#build(node, this.#add({ kind: 'match' }))
    this.#shared.programs += 1
    return { states: this.#states, start, id: this.#shared.programs, isPlain: this.#isPlain }
  }

  #add(state: Partial<PatternState> & Pick<PatternState, 'kind'>): number {
    this.#count()
    return this.#states.push({ ...NONE, ...state }) - 1
  }

  /** Counts nodes too: an empty node written out a million times adds no state but takes as long. */
  #count(): void {
    this.#shared.size += 1
    if (this.#shared.size > MAX_STATES) throw new PatternRefused('its counted repeats make the pattern too long')
  }

  #build(node: PatternNode, next: number): number {
    this.#count()
    switch (node.kind) {
      case 'char':
        return this.#add({ kind: 'char', test: this.#test(node.source), next })
      case 'sequence': {
        const parts = this.#isBackwards ? node.parts : node.parts.toReversed()
        return parts.reduce((after, part) => this.#build(part, after), next)
      }
      case 'choice':
        return node.options
          .map((option) => this.#build(option, next))
          .reduce((one, other) => this.#add({ kind: 'fork', next: one, other }))
      case 'repeat':
        return this.#repeat(node.body, node.least, node.most, next)
      case 'place':
        this.#isPlain &&= node.place === 'start' || node.place === 'end'
        return this.#add({ kind: 'place', place: node.place, next })
      case 'look':
        this.#isPlain = false
        return this.#add({ kind: 'look', look: this.#look(node), negated: node.negated, next })
    }
  }

  #look(node: PatternNode & { readonly kind: 'look' }): number {
    const { looks, lookOf } = this.#shared
    const known = lookOf.get(node)
    if (known !== undefined) return known
    const program = new Builder(this.#shared, node.ahead).program(node.body)
    const look = looks.push({ program, ahead: node.ahead }) - 1
    lookOf.set(node, look)
    return look
  }

  #repeat(body: PatternNode, least: number, most: number, next: number): number {
    const written = most === Infinity ? least : most
    if (written > MAX_REPEATS) throw new PatternRefused(`it repeats up to ${written} times; at most ${MAX_REPEATS} are allowed`)
    let after = next
    if (most === Infinity) {
      after = this.#add({ kind: 'fork', other: next })
      const fork = this.#states[after]
      const start = this.#build(body, after)
      if (fork !== undefined) fork.next = start
    }
    // Each optional copy leads straight to the end, so that skipping thousands is one step.
    for (let count = written; count > 0; count--) {
      const start = this.#build(body, after)
      after = count > least ? this.#add({ kind: 'fork', next: start, other: next }) : start
    }
    return after
  }

  #test(source: string): CharTest {
    const { tests, flags } = this.#shared
    const known = tests.get(source)
    if (known !== undefined) return known
    const test = new CharTest(source, flags)
    tests.set(source, test)
    return test
  }
}
