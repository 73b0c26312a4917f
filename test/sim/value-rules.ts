/** What the log must say by the model of values: conditions, lists, waits, captures and the run's output (P-05, P-43). */
import type { Rule } from './oracle-walk.ts'
import { slotName } from './oracle-tables.ts'
import { sortedText } from './value-language.ts'

const stepStarted: Rule = ({ model, values, must }, event) => {
  const slot = model.slot(slotName(event))
  if (slot === undefined || event.payload['reusedFrom'] !== undefined) return
  const { waitForMs } = event.payload
  const wants = slot.kind === 'wait' && !model.isFanParent(slot) && 'wait' in slot.step && 'forMs' in slot.step.wait
  if (!wants || waitForMs === undefined) return
  // It starts only to fail: its condition has no value, so nobody asked how long it waits.
  if (event.attempt === 1 && values.condition(slot.step, event.runSeq - 1) === 'problem') return
  const expected = values.waitMs(slot, event.runSeq - 1)
  must(waitForMs === expected, `P-05 waits ${String(waitForMs)} ms, its expression gives ${String(expected)}`)
}

/** What failed before it could begin, by its values, fails in the model too. */
const stepFailed: Rule = ({ model, values, must }, event) => {
  const slot = model.slot(slotName(event))
  const error = event.payload['error'] as { readonly code: string; readonly errorClass: string }
  const byValues = event.payload['forced'] === true && error.errorClass === 'validation'
  if (slot === undefined || !byValues || error.code === 'RESOURCE_EXCEEDED') return
  const upTo = (slot.attempts.at(-1)?.startSeq ?? 0) - 1
  const isSo =
    values.condition(slot.step, upTo) === 'problem' ||
    (model.isFanParent(slot) && values.expand(slot.step, upTo) === 'problem') ||
    (slot.kind === 'wait' && values.waitMs(slot, upTo) === 'problem')
  must(isSo, `P-05 failed by ${error.code} though its expressions have values`)
}

const stepCompleted: Rule = ({ model, values, must }, event) => {
  const slot = model.slot(slotName(event))
  const isReport = /^(outcome|child):/.test(event.decision.cause) && event.decision.firstSeq === event.runSeq
  if (slot === undefined || !isReport) return
  const told = { captures: event.payload['captures'] ?? [], values: event.data['captureValues'] ?? [] }
  const expected = values.captured(event)
  must(sortedText(told) === sortedText(expected), `P-16 captured ${sortedText(told)}, not ${sortedText(expected)}`)
}

const runCompleted: Rule = ({ model, values, must }, event) => {
  // A run that only undoes another puts nothing out.
  if (model.undoes) return must(event.data['output'] === undefined, 'CMP a run that only undoes has an output')
  const expected = values.runOutput(event.runSeq - 1)
  const told = event.data['output'] ?? null
  must(sortedText(told) === sortedText(expected), `P-43 put out ${sortedText(told)}, not ${sortedText(expected)}`)
}

export const valueRules: Readonly<Record<string, Rule>> = {
  StepStarted: stepStarted,
  StepFailed: stepFailed,
  StepCompleted: stepCompleted,
  RunCompleted: runCompleted,
}
