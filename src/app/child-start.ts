/** What came of an effect that starts a run for another: a child, or the run that undoes one. */
import type { EffectReport } from '../ports/engine.ts'
import type { StartAnswer } from './start-run.ts'

export type ChildStart =
  | { readonly kind: 'child'; readonly answer: StartAnswer }
  /** No run is needed, or none can be started: this is the outcome. */
  | { readonly kind: 'answered'; readonly report: EffectReport }
  | { readonly kind: 'gone' }
