/**
 * What an expression over a step's output must give, by the oracle's own reading of the records: the result of the
 * completion that stood when the reader first started, its fallback's when that saved it, a list for a fan-out (P-17, P-43).
 */
import type { RunModel } from './oracle-model.ts'
import { itemNames } from './oracle-steps.ts'
import type { LogEvent } from './oracle-tables.ts'

export function outputOf(model: RunModel, events: readonly LogEvent[], stepId: string, upToSeq: number): unknown {
  const parent = model.slots.get(stepId)
  const expanded = parent !== undefined && model.isFanParent(parent) && model.fans.has(stepId)
  if (!expanded) return single(model, events, stepId, upToSeq)
  const done = parent.attempts.some(({ state, endSeq }) => state === 'SUCCESS' && (endSeq ?? 0) <= upToSeq)
  return done
    ? itemNames(stepId, model.fans.get(stepId) ?? 0).map((name) => single(model, events, name, upToSeq))
    : null
}

function single(model: RunModel, events: readonly LogEvent[], name: string, upToSeq: number): unknown {
  for (const slot of [name, `FALLBACK:${name}`]) {
    const done = model.slots
      .get(slot)
      ?.attempts.find(({ state, endSeq }) => state === 'SUCCESS' && (endSeq ?? 0) <= upToSeq)
    const event = done === undefined ? undefined : events.find(({ runSeq }) => runSeq === done.endSeq)
    if (event !== undefined) return event.data['result'] ?? null
  }
  return null
}
