/** The labels of a run held against its plan and its input, from which they follow. After an erasure only the plan's own may be left. */
import type { LogRecord } from '../../core/events/event.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { RunLabels } from '../../ports/run-store.ts'
import { isErased } from '../log/erased-data.ts'
import { planLabels, runLabels } from '../values/run-labels.ts'
import { altered, type EvidenceFinding } from './finding.ts'

export async function checkLabels(
  stored: RunLabels,
  { metadata, ...plan }: Plan,
  records: readonly LogRecord[],
  blob: (sha256: string) => Promise<string | undefined>,
): Promise<readonly EvidenceFinding[]> {
  const whole = { metadata, ...plan }
  const derived = await derivedLabels(whole, records, blob)
  if (derived === undefined) return []
  const isTheirs = (name: string): boolean =>
    Object.hasOwn(derived.labels, name) && stored[name] === derived.labels[name]
  const names = Object.keys(stored).filter((name) => !isTheirs(name))
  // A run of another version, or one whose log was imported, has none of its plan's own.
  const missing = derived.isErased
    ? []
    : Object.keys(plan.labels ?? {}).filter((name) => isMissing(name, derived.labels, stored))
  return [
    ...names.map((name) =>
      altered(`the run has the label ${name}=${stored[name]}, which does not follow from its log`),
    ),
    ...missing.map((name) =>
      altered(`the run lacks the label ${name}=${derived.labels[name]}, which follows from its log`),
    ),
  ]
}

function isMissing(name: string, derived: RunLabels, stored: RunLabels): boolean {
  return Object.hasOwn(derived, name) && !Object.hasOwn(stored, name)
}

/** Undefined where the input is gone for another reason, which is told elsewhere. */
async function derivedLabels(
  plan: Plan,
  [first]: readonly LogRecord[],
  blob: (sha256: string) => Promise<string | undefined>,
): Promise<{ readonly labels: RunLabels; readonly isErased: boolean } | undefined> {
  if (first === undefined) return undefined
  const ref = first.payload?.['inputRef'] as { readonly sha256: string } | undefined
  const text = ref === undefined ? undefined : await blob(ref.sha256)
  if (isErased(first) || (ref !== undefined && text === undefined)) return { labels: planLabels(plan), isErased: true }
  try {
    const input: unknown = text === undefined ? (first.data?.['input'] ?? {}) : JSON.parse(text)
    return { labels: runLabels(plan, input) ?? {}, isErased: false }
  } catch (thrown) {
    if (thrown instanceof KeelsonError || thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}
