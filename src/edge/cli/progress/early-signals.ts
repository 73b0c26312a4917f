/**
 * Signals between the start of a run and the moment in which it is followed: its steps may already be running, so a
 * Ctrl-C must cancel the run instead of ending the process. A second one ends the process: the start itself may hang.
 */
const NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type StopSignal = (typeof NAMES)[number]

export class EarlySignals {
  #heard: StopSignal | undefined
  readonly #hear = (name: NodeJS.Signals): void => {
    if (this.#heard === undefined) {
      this.#heard = name as StopSignal
      return
    }
    this.handOver()
    process.kill(process.pid, name)
  }

  constructor() {
    for (const name of NAMES) process.on(name, this.#hear)
  }

  /** Another listener takes over, and is told which signal has arrived. */
  handOver(): StopSignal | undefined {
    for (const name of NAMES) process.off(name, this.#hear)
    return this.#heard
  }
}
