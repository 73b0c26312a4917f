/**
 * Notes on the rows of runs whose drivers died what this process is about to do with them: read, fold, decide, map. A
 * run that kills its processes in this way is set aside, and harms no other run (P-27: a death itself is no event).
 * Runs whose drivers live are not noted: they pay nothing.
 */
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { fatalText, isFatal, KILLS_PROCESS, lastWords } from '../../core/engine/last-words.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import type { ProcessWork } from './process-work.ts'

type Doing = 'reading its plan' | 'folding its log' | 'deciding' | `mapping ${string}` | `preparing ${string}`

export interface LastWordsParts {
  readonly store: Pick<RunStore, 'noteDoing'>
  /** The name of this process in leases: only the holder of a run writes notes. */
  readonly owner: string
  readonly process: ProcessWork
}

export class LastWords {
  readonly #parts: LastWordsParts

  constructor(parts: LastWordsParts) {
    this.#parts = parts
  }

  get process(): ProcessWork {
    return this.#parts.process
  }

  /** Does the work under a note. Refuses a run that has killed its processes at this work: the caller sets it aside. */
  async during<T>(row: RunRow, doing: Doing, work: () => T | Promise<T>): Promise<T> {
    refuseFatal(row)
    const { store, owner, process } = this.#parts
    return process.inTurn(async () => {
      await store.noteDoing(row.runKey, owner, lastWords(doing, process.atWork))
      try {
        return await work()
      } finally {
        await store.noteDoing(row.runKey, owner, undefined)
      }
    })
  }
}

interface Teller {
  readonly lastWords?: LastWords
}

/** Only for runs whose drivers died, and where a teller exists. */
export function noting<W extends Promise<unknown>>(teller: Teller, row: RunRow, doing: Doing, work: () => W): W
export function noting<T>(teller: Teller, row: RunRow, doing: Doing, work: () => T | Promise<T>): T | Promise<T>
export function noting<T>(teller: Teller, row: RunRow, doing: Doing, work: () => T | Promise<T>): T | Promise<T> {
  const { lastWords: notes } = teller
  return notes === undefined || !hasDied(row) ? work() : notes.during(row, doing, work)
}

type Fold = <T>(row: RunRow, fold: () => Promise<T>) => Promise<T>

export function folding(teller: Teller): Fold {
  return (row, fold) => noting(teller, row, 'folding its log', fold)
}

function hasDied({ deaths = 0 }: RunRow): boolean {
  return deaths > 0
}

export function refuseFatal(row: RunRow): void {
  if (isFatal(row)) throw new KeelsonError([problem(KILLS_PROCESS, `run ${row.runId}: ${fatalText(row)}`)])
}
