/**
 * Compiles the author's document to a Plan: shorthands resolved, defaults filled in, every rule of the format checked.
 * All problems are collected; the plan exists only when there are none.
 */
import type { Outline } from '../read/outline.ts'
import { checkGraph, outlineSteps } from './check-graph.ts'
import { compileSteps, type Around } from './compile-steps.ts'
import { durationTwins } from '../format/durations.ts'
import { objectOf, required, type ObjectOf } from '../format/fields.ts'
import { stepList } from '../format/for-each-fields.ts'
import { isList, isObject, mustBe, type KindOf } from '../format/kind.ts'
import type { Json, Plan, PlanMetadata, PlanPolicy, Step } from '../plan.ts'
import { metadata, PLAN_HEAD, policy, DEFAULT_TIMEOUT_MS } from '../format/plan-fields.ts'
import { child, refuse, type Reading } from '../read/reading.ts'
import { completeRetry, STEP_RETRY } from '../format/retry-fields.ts'

export interface CompiledDocument {
  readonly plan?: Plan
  readonly outline: Outline
}

type Given = { readonly [name: string]: Json }

export const document = objectOf(
  { ...PLAN_HEAD, steps: required(stepList, 'The steps of the plan.', '[{ id: reserve, run: stock.reserve }]') },
  {
    what: 'a plan',
    foreign: {
      ...Object.fromEntries(Object.keys(metadata.fields).map((name) => [name, `write it under metadata`])),
      ...Object.fromEntries(
        [...Object.keys(policy.fields), ...durationTwins(policy.fields).keys()].map((name) => [
          name,
          `write it under policy`,
        ]),
      ),
      id: 'write plan',
      input: 'write inputs',
      outputs: 'write output',
      actions: 'write steps',
      onError: 'write policy: { onFailure: … }',
    },
  },
)

/** Short name at the top, full name under metadata. */
const SHORTHANDS = [
  ['plan', 'planId', true],
  ['version', 'planVersion', true],
  ['requires', 'requiresCapabilities', false],
] as const

export function compileDocument(value: Json, reading: Reading): CompiledDocument {
  const outline = outlineSteps(isObject(value) && isList(value.steps) ? value.steps : [])
  if (!isObject(value)) {
    mustBe(document, value, undefined, reading)
    return { outline }
  }
  const before = reading.problems.length
  checkShorthands(value, reading)
  const head = document.read(value, undefined, reading)
  const steps = compileSteps(value.steps, child(undefined, 'steps'), outline, reading, aroundSteps(value, head))
  checkGraph(outline, reading)
  if (head === undefined || steps === undefined || reading.problems.length > before) return { outline }
  const plan = finishPlan(head, steps)
  return plan === undefined ? { outline } : { plan, outline }
}

function checkShorthands(value: Given, reading: Reading): void {
  const full = isObject(value.metadata) ? value.metadata : {}
  for (const [short, name, needed] of SHORTHANDS) {
    if (value[short] !== undefined && full[name] !== undefined) {
      const message = `'${short}' is short for 'metadata.${name}'; both are given`
      refuse(reading, 'PLAN_FIELD_TWICE', child(undefined, short), message, { part: 'key' })
    } else if (needed && value[short] === undefined && full[name] === undefined) {
      refuse(reading, 'PLAN_FIELD_MISSING', undefined, `a plan needs '${short}'`)
    }
  }
}

type Head = KindOf<typeof document>

/** As far as it can be told: problems of steps are told also when the head has some. */
function aroundSteps(value: Given, head: Head | undefined): Around {
  const { planId, planVersion } = isObject(value.metadata) ? value.metadata : {}
  const { fallbackBehavior = 'reject', targetAdapter = 'any' } = head?.metadata ?? {}
  return {
    planId: String(value.plan ?? planId ?? ''),
    planVersion: String(value.version ?? planVersion ?? ''),
    schemaVersion: head?.schemaVersion ?? '',
    context: head?.context ?? {},
    engine: { fallbackBehavior, targetAdapter },
    policy: finishPolicy(head?.policy),
    handedIn: new Set(head?.forItem?.steps),
  }
}

function finishPolicy(written: ObjectOf<(typeof policy)['fields']> | undefined): PlanPolicy {
  const { retry, ...rest } = written ?? { concurrency: 10, onFailure: 'failFast', timeoutMs: DEFAULT_TIMEOUT_MS }
  return { ...rest, retry: completeRetry(retry, STEP_RETRY) }
}

function finishPlan(head: Head, steps: readonly Step[]): Plan | undefined {
  const { plan, version, requires, metadata: written, policy: writtenPolicy, ...rest } = head
  const planId = plan ?? written?.planId
  const planVersion = version ?? written?.planVersion
  if (planId === undefined || planVersion === undefined) return undefined
  const planMetadata: PlanMetadata = {
    fallbackBehavior: 'reject',
    targetAdapter: 'any',
    ...written,
    planId,
    planVersion,
    ...(requires === undefined ? {} : { requiresCapabilities: requires }),
  }
  return { ...rest, metadata: planMetadata, policy: finishPolicy(writtenPolicy), steps }
}
