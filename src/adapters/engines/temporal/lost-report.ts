/** What the log is told of an attempt that the platform gave up: it failed, and its retry policy decides (P-38). */
import { KeelsonError, problem } from '../../../core/problems/problem.ts'
import type { EffectReport } from '../../../ports/engine.ts'
import type { LostEffect } from './wire.ts'

export function lostReport({ slot, attempt, engineAttempt }: LostEffect): EffectReport {
  const thrown = new KeelsonError([
    problem('ENGINE_LOST', `Temporal gave '${slot}' up after its last platform attempt`),
  ])
  return { slot, attempt, engineAttempt, result: { kind: 'failed', thrown, durationMs: 0 } }
}
