/** Inputs and conditions of the steps of an orchestr8 workflow, as mappings and conditions of a plan. */
import type { Problem } from '../../../problems/problem.ts'
import { isList } from '../../format/kind.ts'
import type { Json } from '../../plan.ts'
import { child, refuse, type Place, type Reading } from '../../read/reading.ts'
import { conditionThere } from './condition.ts'
import { mayBeSkipped, type Flow, type FlowStep } from './flow.ts'
import { mappedText, wholeEnv } from './mapping.ts'
import { pathName, type Names } from './names.ts'
import type { Document } from '../imported.ts'

export interface Converting {
  readonly flow: Flow
  readonly names: Names
  readonly problems: Problem[]
  readonly positionOf: Reading['positionOf']
}

export interface StepInput {
  readonly with: Document
  readonly secrets: { readonly [name: string]: string }
}

/** `owner`: the step that runs it, whose own output it cannot read. */
export function inputOf(converting: Converting, step: FlowStep, owner: FlowStep, place: Place): StepInput {
  const at = step.at.input
    .slice(1)
    .split('/')
    .reduce<Place>((above, key) => child(above, key), place)
  const secrets: Record<string, string> = {}
  const mapped: Record<string, Json> = {}
  for (const [field, value] of Object.entries(step.input ?? {})) {
    const secret = typeof value === 'string' ? secretOf(converting, value) : undefined
    if (secret !== undefined && step === owner) secrets[field] = `secret://env/${secret}`
    else mapped[field] = valueOf(converting, value, child(at, field))
  }
  return { with: mapped, secrets }
}

/** A field that is nothing but a secret of the environment: the step gets it as a secret, by the name of the field. */
function secretOf({ names }: Converting, written: string): string | undefined {
  const name = wholeEnv(written)
  return name !== undefined && names.env.has(name) && names.secretEnv(name) ? name : undefined
}

function valueOf(converting: Converting, value: Json, place: Place): Json {
  if (typeof value === 'string') {
    const mapped = mappedText(value, converting.names)
    if ('text' in mapped) return mapped.text
    told(converting, place, mapped)
    return value
  }
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return value.map((entry, index) => valueOf(converting, entry, child(place, index)))
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, valueOf(converting, entry, child(place, key))]),
  )
}

export interface Conditions {
  readonly if?: string
  readonly unless?: string
}

export function conditionsOf(converting: Converting, step: FlowStep, place: Place): Conditions {
  const [own, unless] = (['if', 'unless'] as const).map((field) => conditionOf(converting, step, field, place))
  return { ...(own === undefined ? {} : { if: own }), ...(unless === undefined ? {} : { unless }) }
}

/**
 * There a step is skipped after one that did not complete: after one that was skipped, which the plan's `onSkip` says, and
 * after a failure that was handled, which only a condition can say. A step that also waits for others, to read them, says
 * both by a condition: those others do not skip it.
 */
export function guarded({ steps }: Flow, step: FlowStep, own: Conditions, waits: readonly string[]): Document {
  const parts = steps.flatMap(({ id, onError }) => {
    if (!step.dependsOn.includes(id)) return []
    if (onError === 'continue') return [`steps.${pathName(id)}.status == 'SUCCESS'`]
    return waits.length > 0 && mayBeSkipped(steps, id) ? [`steps.${pathName(id)}.status != 'SKIPPED'`] : []
  })
  if (own.if !== undefined) parts.push(parts.length === 0 ? own.if : `(${own.if})`)
  return {
    ...(parts.length === 0 ? {} : { if: parts.join(' && ') }),
    ...(own.unless === undefined ? {} : { unless: own.unless }),
    ...(waits.length === 0 ? {} : { onSkip: 'satisfy' }),
  }
}

/** An empty one is none. */
function conditionOf(converting: Converting, step: FlowStep, field: 'if' | 'unless', place: Place): string | undefined {
  const written = step[field]
  if (written === undefined || written.trim() === '') return undefined
  const found = conditionThere(written, converting.names)
  if ('text' in found) return found.text
  const above = step.at.condition === '' ? place : child(place, 'condition')
  told(converting, child(above, field), found)
  return undefined
}

function told(
  converting: Converting,
  place: Place,
  { wrong, todo }: { readonly wrong: string; readonly todo?: string },
): void {
  refuse(converting, 'WORKFLOW_INVALID', place, wrong, todo === undefined ? {} : { hint: todo })
}
