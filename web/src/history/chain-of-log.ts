/**
 * The chain of the log that the page holds, checked while nothing else is to be done: a little at a time, so that a long log does not
 * hold up the page. Each event is checked once, whoever looks.
 */
import { useEffect } from 'react'
import { useWatched, Watched } from '../server/watched.ts'
import { ChainCheck, type ChainBreak } from '../verify/chain.ts'
import type { RunHistory } from './run-history.ts'

export interface CheckedChain {
  /** All events up to this one fit. */
  readonly lastSeq: number
  readonly checked: number
  readonly head: string
  readonly broken?: ChainBreak
  /** Of events whose data was erased, and a later event says so. */
  readonly erased: readonly number[]
  readonly missing: readonly number[]
}

const SLICE_MS = 8
const REST_MS = 12
/** So many events at once are pages of a long log: the rest of it is read first, for its end is what people wait for. */
const ARRIVING = 500
const ARRIVING_MS = 250

class ChainOfLog {
  readonly told = new Watched<CheckedChain>({ lastSeq: 0, checked: 0, head: '', erased: [], missing: [] })
  readonly #history: RunHistory
  readonly #check = new ChainCheck()
  #isDue = false
  /** How many events there were at the last look. */
  #known = 0

  constructor(history: RunHistory) {
    this.#history = history
  }

  goOn(restMs = REST_MS): void {
    if (this.#isDue) return
    this.#isDue = true
    setTimeout(() => {
      this.#isDue = false
      this.#look()
    }, restMs)
  }

  #look(): void {
    const check = this.#check
    const { records } = this.#history
    const come = records.length - this.#known
    this.#known = records.length
    if (come >= ARRIVING) {
      this.goOn(ARRIVING_MS)
      return
    }
    const until = performance.now() + SLICE_MS
    for (let record = records[check.checked]; record !== undefined; record = records[check.checked]) {
      check.addRecord(record)
      if (check.broken !== undefined || performance.now() > until) break
    }
    const { lastSeq, checked, head, erased, missing, broken } = check
    this.told.set({ lastSeq, checked, head, erased, missing, ...(broken === undefined ? {} : { broken }) })
    if (broken === undefined && checked < records.length) this.goOn()
  }
}

const chains = new WeakMap<RunHistory, ChainOfLog>()

/** `lastSeq` of the history: what has come since is checked, too. */
export function useChain(history: RunHistory, lastSeq: number): CheckedChain {
  const chain = chains.get(history) ?? new ChainOfLog(history)
  if (!chains.has(history)) chains.set(history, chain)
  useEffect(() => chain.goOn(), [chain, lastSeq])
  return useWatched(chain.told)
}
