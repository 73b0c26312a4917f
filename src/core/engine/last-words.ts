/**
 * What each process was doing with a run when the process died, and whether this shows that the run killed it. A process works on
 * one thread, so at most one run can be the cause of its death; a run that is noted at three deaths is taken for the cause.
 */
import { greatest } from '../collections/extremes.ts'

/** The code with which such runs are set aside. */
export const KILLS_PROCESS = 'RUN_KILLS_PROCESS'

/** The driver ended before it had adopted the run. It left no note, and many runs may be in this state at once. */
export const TAKING_UP = '- taking it up'

const DEATHS_OF_THE_GUILTY = 3

export interface Mourned {
  readonly deaths?: number
  readonly diedDoing?: readonly string[]
}

/** A note, with the number of steps that the process was running beside it. */
export function lastWords(doing: string, stepsAtWork: number): string {
  return `${stepsAtWork} ${doing}`
}

/**
 * The last two deaths must have notes. If steps ran beside the work, one more death is needed: steps that were present
 * at three deaths run in separate processes by then.
 */
export function isFatal({ diedDoing = [] }: Mourned): boolean {
  const [before, last] = diedDoing.slice(-2)
  if (last === undefined || before === undefined || last === TAKING_UP || before === TAKING_UP) return false
  return diedDoing.length >= (besideOf(last) === 0 ? DEATHS_OF_THE_GUILTY : DEATHS_OF_THE_GUILTY + 1)
}

/** How its processes ended, for people. */
export function fatalText({ diedDoing = [] }: Mourned): string {
  const doings = [...new Set(diedDoing.map(doingOf))].join(' or ')
  const beside = greatest(diedDoing.map(besideOf), 0)
  const others = beside === 0 ? '' : `, with ${beside === 1 ? 'a step' : `${beside} steps`} at work beside it`
  return `${diedDoing.length} times in a row the process that drove it died while ${doings}${others}`
}

function besideOf(words: string): number {
  return Number.parseInt(words, 10) || 0
}

function doingOf(words: string): string {
  return words.slice(words.indexOf(' ') + 1)
}
