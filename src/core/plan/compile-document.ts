/**
 * The author's document compiled to a Plan: shorthands resolved, defaults filled in, every rule of the format checked.
 * All problems are collected; the plan exists only when there is none.
 */
import { LIMITS } from '../limits.ts'
import { checkGraph, outlineSteps, type Outline } from './check-graph.ts'
import { compileStep } from './compile-step.ts'
import { objectOf, required, type ObjectOf } from './fields.ts'
import { isList, isObject, kindOf, mustBe, type KindOf } from './kind.ts'
import type { Json, Plan, PlanMetadata, PlanPolicy, Step } from './plan.ts'
import { metadata, PLAN_HEAD, policy, DEFAULT_TIMEOUT_MS } from './plan-fields.ts'
import { child, refuse, type Place, type Reading } from './reading.ts'
import { completeRetry, STEP_RETRY } from './retry-fields.ts'

export interface CompiledDocument {
  readonly plan?: Plan
  readonly outline: Outline
}

type Given = { readonly [name: string]: Json }

/** The list itself; its steps are compiled one by one, with the policy known. */
const stepList = kindOf('a list of steps', { type: 'array' }, isList)

export const document = objectOf(
  { ...PLAN_HEAD, steps: required(stepList, 'What is done.', '[{ id: reserve, run: stock.reserve }]') },
  {
    what: 'a plan',
    foreign: {
      ...Object.fromEntries(Object.keys(metadata.fields).map((name) => [name, `write it under metadata`])),
      ...Object.fromEntries(Object.keys(policy.fields).map((name) => [name, `write it under policy`])),
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
  const steps = compileSteps(value.steps, head, outline, reading)
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

function compileSteps(
  value: Json | undefined,
  head: Head | undefined,
  outline: Outline,
  reading: Reading,
): readonly Step[] | undefined {
  if (!isList(value)) return undefined
  const place: Place = child(undefined, 'steps')
  if (value.length === 0 || value.length > LIMITS.planSteps) {
    refuse(reading, reading.codes.invalid, place, `a plan has from 1 to ${LIMITS.planSteps} steps, not ${value.length}`)
    return undefined
  }
  const planPolicy = finishPolicy(head?.policy)
  const steps = value.map((step, index) =>
    compileStep(step, child(place, index), reading, {
      policy: planPolicy,
      position: index + 1,
      isGraph: outline.isGraph,
    }),
  )
  return steps.every((step) => step !== undefined) ? steps : undefined
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
