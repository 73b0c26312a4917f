/**
 * What every contender of the race can do: carry out the same shapes of work, each step of which calls the same trivial
 * function, and be done only when the end of the run is durable.
 */
export const CHAIN_STEPS = 1_000
export const FAN_STEPS = 1_000
export const TEN = 10
export const AT_ONCE = 100

/** The work of a step; it notes when it was called. */
export type Work = () => Promise<number>

/** Each call starts one run and resolves when it has ended. */
export interface Contender {
  oneStep(): Promise<unknown>
  tenSteps(): Promise<unknown>
  chain(): Promise<unknown>
  fan(): Promise<unknown>
  close(): Promise<void>
}

/** `place` is a folder of its own for what lives in files, else the URL of an empty database. */
export type OpenContender = (place: string, work: Work) => Promise<Contender>
