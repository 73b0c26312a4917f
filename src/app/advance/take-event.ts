/**
 * An event from outside in a run's inbox (P-54). Whether it is what the step waits for is a fact, evaluated here; false leaves
 * the wait open.
 */
import type { Outcome } from '../../core/run/input.ts'
import { awaitsEvent } from '../../core/run/state/event-waits.ts'
import { isoFromMs } from '../../core/time.ts'
import type { EventNotice } from '../../ports/events.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { Services } from '../services.ts'
import type { DecisionRound } from './decision-round.ts'
import { evaluateNeeds } from './evaluate-needs.ts'
import { prepareOutcome } from './prepare-outcome.ts'

export async function takeEvent(
  run: LoadedRun,
  round: DecisionRound,
  { store }: Pick<Services, 'store'>,
  { eventId, name, key, slot, attempt, sentAt, data }: EventNotice,
): Promise<void> {
  if (!awaitsEvent(round.state, { slot, attempt, eventId })) return
  const at = { store, run, state: round.state, seq: run.nextSeq - 1, pending: round.pending, append: round.values }
  const event = { id: eventId, name, key, data }
  const { match } = (await evaluateNeeds([{ kind: 'match', slot, event }], at)).get(slot) ?? {}
  if (match === false) return
  const result = { kind: 'completed', output: data, artifactRefs: [], durationMs: 0 } as const
  const prepared = await prepareOutcome({ slot, attempt, engineAttempt: 1, result }, { ...at, buildId: undefined })
  const outcome = match === undefined ? prepared.input.outcome : withFact(prepared.input.outcome)
  await round.take({ kind: 'event', eventId, sentAt: isoFromMs(sentAt), slot, attempt, outcome }, prepared)
}

function withFact(outcome: Outcome): Outcome {
  return { ...outcome, data: { ...outcome.data, facts: { match: true } } }
}
