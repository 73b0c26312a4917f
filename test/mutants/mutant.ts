/** One planted fault: a small change of the kind a tired person makes, and who is expected to notice it. */
export interface Mutant {
  readonly name: string
  /** Under src/. */
  readonly file: string
  /** Exact text that stands exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The simulator, with the usual number of histories, where nothing is said. */
  readonly catcher?: Catcher
}

export type Catcher =
  | { readonly kind: 'sim'; readonly histories: number; readonly seed?: number; readonly crashPlans?: number }
  /** For what a simulation cannot see: a test file, from the root of the repository. */
  | { readonly kind: 'test'; readonly file: string }
