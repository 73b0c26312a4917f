/**
 * Regular expressions in linear time: all ways to match a text are followed at once, so that no untrusted pattern takes
 * more than the text's length times the pattern's. Same verdicts as the platform's own, look-around included.
 */
import { BoundedCache } from './bounded-cache.ts'
import { buildPattern, type PatternProgram, type PatternPrograms, type PatternState } from './pattern-program.ts'
import { readPattern, type Place } from './pattern-syntax.ts'

/** The caches are bounded for any pattern: in sets, in states of a set, in characters that lead on from it. */
const MAX_KNOWN_PATTERNS = 64
const MAX_KNOWN_SETS = 100
const MAX_KNOWN_STATES = 200
const MAX_KNOWN_MOVES = 128

const SPEND_EVERY = 10_000
/** The cost of a start, which matters for many short texts. */
const START = 20
/** The platform is asked about a character beyond ASCII. */
const UNUSUAL = 4

const knownSets = new BoundedCache<LinearPattern, Map<string, StateSet>>(MAX_KNOWN_PATTERNS)

/** Called with the work done since the last call; throws when it is too much. */
export type Spend = (work: number) => void

/** One set of states, between two characters. */
interface StateSet {
  readonly states: readonly number[]
  readonly isMatch: boolean
  /** The work of finding it, charged the same when it is cached: a verdict must not depend on earlier texts. */
  readonly cost: number
  readonly moves: Map<number, StateSet>
}

interface Reading {
  readonly text: string
  readonly looks: readonly Uint8Array[]
  readonly spend: Spend
  readonly known: Map<string, StateSet>
}

/** One pass over the text: the states reached at the current position. */
interface Scan extends Reading {
  readonly program: PatternProgram
  readonly met: Int32Array
  at: number
  places: number
}

/** Users' patterns have `u`; formats of JSON Schema have others. */
export type PatternFlags = 'u' | 'iu' | 'i' | ''

export class LinearPattern {
  readonly #programs: PatternPrograms
  readonly #isUnicode: boolean

  /** Throws PatternRefused for a pattern that cannot be matched so, and the platform's error for an invalid pattern. */
  constructor(pattern: string, flags: PatternFlags) {
    // The platform refuses invalid patterns with its own message.
    this.#isUnicode = new RegExp(pattern, flags).unicode
    this.#programs = buildPattern(readPattern(pattern), flags)
  }

  /** States of its automaton. */
  get size(): number {
    const { main, looks } = this.#programs
    return looks.reduce((sum, { program }) => sum + program.states.length, main.states.length)
  }

  test(text: string, spend: Spend): boolean {
    const looks: Uint8Array[] = []
    const known = knownSets.get(this) ?? new Map<string, StateSet>()
    knownSets.set(this, known)
    const reading: Reading = { text, looks, spend, known }
    for (const { program, ahead } of this.#programs.looks) {
      const found = new Uint8Array(text.length + 1)
      this.#scan(program, reading, ahead, (at) => {
        found[at] = 1
        return false
      })
      looks.push(found)
    }
    let isFound = false
    this.#scan(this.#programs.main, reading, false, () => (isFound = true))
    return isFound
  }

  /** From one end of the text to the other; a match may begin anywhere. `onMatch` returns whether that is enough. */
  #scan(program: PatternProgram, reading: Reading, isBackwards: boolean, onMatch: (at: number) => boolean): void {
    const { text, spend } = reading
    const end = isBackwards ? 0 : text.length
    const met = new Int32Array(program.states.length)
    const scan: Scan = { ...reading, program, met, at: isBackwards ? text.length : 0, places: 0 }
    let set = closed(scan, [])
    for (let work = set.cost + START + met.length / 8; ;) {
      if (set.isMatch && onMatch(scan.at)) return spend(work)
      if (scan.at === end) return spend(work)
      const code = isBackwards ? this.#codeBefore(text, scan.at) : this.#codeAt(text, scan.at)
      const width = code > 0xffff ? 2 : 1
      scan.at += isBackwards ? -width : width
      set = moved(scan, set, code)
      work += code < 128 ? set.cost : set.cost * UNUSUAL
      if (work < SPEND_EVERY) continue
      spend(work)
      work = 0
    }
  }

  #codeAt(text: string, at: number): number {
    return this.#isUnicode ? (text.codePointAt(at) ?? 0) : text.charCodeAt(at)
  }

  #codeBefore(text: string, at: number): number {
    const pair = this.#isUnicode && at >= 2 ? (text.codePointAt(at - 2) ?? 0) : 0
    return pair > 0xffff ? pair : text.charCodeAt(at - 1)
  }
}

function moved(scan: Scan, from: StateSet, code: number): StateSet {
  const { program, at, text } = scan
  const isUsual = program.isPlain && at !== 0 && at !== text.length
  const known = isUsual ? from.moves.get(code) : undefined
  if (known !== undefined) return known
  const next: number[] = []
  for (const index of from.states) {
    const state = program.states[index]
    if (state?.test?.allows(code) === true) next.push(state.next)
  }
  const set = closed(scan, next)
  if (isUsual && from.moves.size < MAX_KNOWN_MOVES) from.moves.set(code, set)
  return set
}

/** Every state reached from these, and from the beginning of the pattern, without reading a character. */
function closed(scan: Scan, open: number[]): StateSet {
  const { program, met, at, text } = scan
  scan.places += 1
  open.push(program.start)
  const states: number[] = []
  let isMatch = false
  let cost = 1
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const state = program.states[index]
    if (state === undefined || met[index] === scan.places) continue
    met[index] = scan.places
    cost += 1
    if (state.kind === 'char') states.push(index)
    else if (state.kind === 'match') isMatch = true
    else if (state.kind === 'fork') open.push(state.other, state.next)
    else if (goesOn(state, scan)) open.push(state.next)
  }
  const set = { states, isMatch, cost, moves: new Map<number, StateSet>() }
  const isUsual = program.isPlain && at !== 0 && at !== text.length && states.length <= MAX_KNOWN_STATES
  return isUsual ? shared(scan, set) : set
}

/** Equal sets are shared, so that what is known of one is known of all. */
function shared({ known, program }: Scan, set: StateSet): StateSet {
  const key = `${program.id}${set.isMatch ? '+' : '-'}${set.cost}:${set.states.toSorted((a, b) => a - b).join()}`
  const equal = known.get(key)
  if (equal !== undefined) return equal
  if (known.size >= MAX_KNOWN_SETS) known.clear()
  known.set(key, set)
  return set
}

function goesOn(state: PatternState, { text, looks, at }: Scan): boolean {
  if (state.place !== undefined) return isPlace(state.place, text, at)
  return looks[state.look]?.[at] === (state.negated ? 0 : 1)
}

function isPlace(place: Place, text: string, at: number): boolean {
  if (place === 'start') return at === 0
  if (place === 'end') return at === text.length
  return (isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at))) === (place === 'edge')
}

function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
}
