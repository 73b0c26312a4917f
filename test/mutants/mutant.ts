/** One planted fault: a small change of the kind a tired person makes, and who is expected to notice it. */
export interface Mutant {
  readonly name: string
  /** Under src/. */
  readonly file: string
  /** Exact text that stands exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** For what a simulation cannot see: the test file that notices it. Otherwise the simulator must. */
  readonly catcher?: string
}
