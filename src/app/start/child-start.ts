/** What came of an effect that starts a run for another: a child, or the run that undoes one. */
import type { EffectOutcome } from '../../ports/engine.ts'
import type { StartAnswer } from './start-request.ts'

export type ChildStart =
  | { readonly kind: 'child'; readonly answer: StartAnswer }
  /** No run is needed, or none can be started: this is the outcome. */
  | { readonly kind: 'answered'; readonly report: EffectOutcome }
  | { readonly kind: 'gone' }
