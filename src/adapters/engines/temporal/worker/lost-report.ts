/** What the log is told of an attempt that the platform gave up: it failed, and its retry policy decides (P-38). */
import { KeelsonError, problem } from '../../../../core/problems/problem.ts'
import type { EffectOutcome } from '../../../../ports/engine.ts'
import type { LostEffect } from '../sandbox/wire.ts'

export function lostReport({ slot, attempt, engineAttempt }: LostEffect): EffectOutcome {
  const thrown = new KeelsonError([
    problem('ENGINE_LOST', `Temporal stopped trying '${slot}' after its last platform attempt`),
  ])
  return { slot, attempt, engineAttempt, result: { kind: 'failed', thrown, durationMs: 0 } }
}
