/**
 * A compiled plan as an author would write it: short names, and nothing that a default says anyway. What is left out is checked by
 * reading the text again: where it would not be the very same plan, every field is written.
 */
import { canonicalPlan, parsePlan } from '../compile/parse-plan.ts'
import type { Section } from '../format/fields.ts'
import { metadata, policy, PLAN_HEAD } from '../format/plan-fields.ts'
import { COMPENSATION_RETRY, STEP_RETRY } from '../format/retry-fields.ts'
import { compensate, fallback, step } from '../format/step-fields.ts'
import { planYaml } from './plan-yaml.ts'
import type { Json, Plan, RetryPolicy, Step } from '../plan.ts'

type Written = { readonly [field: string]: Json }

export function planText(plan: Plan): string {
  const short = planYaml(writtenPlan(plan))
  const read = parsePlan(short)
  return read.ok && read.value.text === canonicalPlan(plan) ? short : planYaml(plan as unknown as Written)
}

function writtenPlan({ metadata: named, policy: general, steps, ...head }: Plan): Written {
  const { planId, planVersion, requiresCapabilities, ...others } = named
  const isNumbered = steps.some(({ order }, at) => order !== at + 1)
  const isGraph = steps.some(({ dependsOn = [] }) => dependsOn.length > 0)
  const { retry, ...limits } = general
  return present({
    plan: planId,
    version: planVersion,
    requires: requiresCapabilities,
    metadata: unlessEmpty(withoutDefaults(others, { fields: metadata.fields })),
    ...withoutDefaults(head, { fields: PLAN_HEAD }),
    policy: unlessEmpty({
      ...withoutDefaults(limits, { fields: policy.fields }),
      ...present({ retry: unlessEmpty(differing(retry, STEP_RETRY)) }),
    }),
    steps: steps.map((one) => writtenStep(one, general, { isNumbered, isGraph })),
  })
}

interface Around {
  readonly isNumbered: boolean
  readonly isGraph: boolean
}

function writtenStep(compiled: Step, general: Plan['policy'], { isNumbered, isGraph }: Around): Written {
  const {
    stepId,
    order,
    dependsOn,
    retry,
    timeoutMs,
    effect,
    isolation,
    compensate: undo,
    fallback: instead,
  } = compiled
  const rest = Object.entries(compiled).filter(([name]) => !APART.has(name))
  const isApart = 'command' in compiled || 'dbt' in compiled
  return present({
    id: stepId,
    order: isNumbered ? order : undefined,
    // A graph stays one by any `dependsOn`, even an empty one.
    dependsOn: isGraph && dependsOn?.length === 0 ? undefined : dependsOn,
    ...withoutDefaults(Object.fromEntries(rest), step),
    retry: unlessEmpty(differing(retry, general.retry)),
    timeoutMs: timeoutMs === general.timeoutMs ? undefined : timeoutMs,
    effect: effect === (undo === undefined ? 'idempotent' : 'compensatable') ? undefined : effect,
    isolation: isolation === (isApart ? 'process' : 'inline') ? undefined : isolation,
    compensate:
      undo === undefined
        ? undefined
        : {
            ...withoutDefaults({ ...undo, retry: undefined }, compensate),
            ...present({ retry: unlessEmpty(differing(undo.retry, COMPENSATION_RETRY)) }),
          },
    fallback: instead === undefined ? undefined : withoutDefaults(instead, fallback),
  })
}

/** Fields of a step whose default depends on others. */
const APART: ReadonlySet<string> = new Set(
  'stepId order dependsOn retry timeoutMs effect isolation compensate fallback'.split(' '),
)

function withoutDefaults(value: object, { fields }: Pick<Section, 'fields'>): Written {
  const kept = Object.entries(value).filter(([name, one]) => !isSame(one, fields[name]?.fallback))
  return present(Object.fromEntries(inOrder(kept, Object.keys(fields))))
}

/** A plan is stored with its names in the order of the alphabet; they are written in that of the tables. */
function inOrder<T>(
  entries: readonly (readonly [string, T])[],
  names: readonly string[],
): readonly (readonly [string, T])[] {
  const rank = new Map(names.map((name, at) => [name, at]))
  const rankOf = ([name]: readonly [string, T]): number => rank.get(name) ?? names.length
  return [...entries].sort((a, b) => rankOf(a) - rankOf(b))
}

function differing(retry: RetryPolicy, parent: RetryPolicy): Written {
  const usual = Object.entries(parent)
  return Object.fromEntries(
    Object.entries(retry).filter(([name, value]) => !usual.some(([one, told]) => one === name && isSame(value, told))),
  )
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function unlessEmpty(value: Written): Written | undefined {
  return Object.keys(value).length === 0 ? undefined : value
}

function present(value: Readonly<Record<string, unknown>>): Written {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Written
}
