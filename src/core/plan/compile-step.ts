/**
 * One step of the author's document compiled: exactly one action, the rules that hold between fields, and every default
 * filled in from the plan's policy.
 */
import { isObject, mustBe, type KindOf } from './kind.ts'
import type {
  Action,
  ActionKind,
  CommandAction,
  Compensation,
  DbtAction,
  Fallback,
  HttpAction,
  Json,
  PlanPolicy,
  RunAction,
  Step,
  StepEffect,
} from './plan.ts'
import { child, refuse, STEP_CODES, type Place, type Reading } from './reading.ts'
import { COMPENSATION_RETRY, completeRetry } from './retry-fields.ts'
import { robotProblem } from './robot-action.ts'
import { ACTION_FIELDS, step as stepKind, type compensate, type fallback } from './step-fields.ts'

export interface StepContext {
  readonly policy: PlanPolicy
  readonly position: number
  /** In a graph every compiled step says what it depends on. */
  readonly isGraph: boolean
}

type Given = { readonly [name: string]: Json }
type WrittenStep = KindOf<typeof stepKind>

const ACTIONS = Object.keys(ACTION_FIELDS)
const UNDOING_ACTIONS = ['run', 'http', 'command', 'dbt']
/** Nothing is left behind by a wait, and what a person did is a person's to undo. */
const NOT_UNDOABLE = ['wait', 'manual']

export function compileStep(value: Json, place: Place, reading: Reading, context: StepContext): Step | undefined {
  const inStep: Reading = { ...reading, codes: STEP_CODES }
  if (!isObject(value)) return mustBe(stepKind, value, place, inStep)
  const before = reading.problems.length
  checkId(value, place, inStep)
  checkOneAction(value, ACTIONS, place, inStep)
  checkTogether(value, place, inStep)
  checkRobot(value, place, inStep)
  const written = stepKind.read(value, place, inStep)
  return written === undefined || reading.problems.length > before ? undefined : finishStep(written, context)
}

function checkId(value: Given, place: Place, reading: Reading): void {
  if (value.id === undefined && value.stepId === undefined) {
    refuse(reading, reading.codes.missing, place, `a step needs an 'id'`)
  } else if (value.id !== undefined && value.stepId !== undefined) {
    const message = `'id' is short for 'stepId'; both are given`
    refuse(reading, 'PLAN_FIELD_TWICE', child(place, 'id'), message, { part: 'key' })
  }
}

function checkOneAction(value: Given, actions: readonly string[], place: Place, reading: Reading): void {
  const given = Object.keys(value).filter((name) => actions.includes(name))
  const [first, second] = given
  if (first === undefined) {
    refuse(reading, reading.codes.missing, place, `exactly one of ${actions.join(', ')} is needed here`)
  } else if (second !== undefined) {
    const message = `'${first}' and '${second}' are both given; exactly one action is allowed`
    refuse(reading, reading.codes.invalid, child(place, second), message, { part: 'key' })
  }
}

/** Rules between fields, looked up by name so that they are told even when another field is wrong. */
function checkTogether(value: Given, place: Place, reading: Reading): void {
  for (const part of ['compensate', 'fallback'] as const) {
    const given = value[part]
    if (isObject(given)) checkOneAction(given, UNDOING_ACTIONS, child(place, part), reading)
  }
  checkEffect(value, place, reading)
  const noUndo = NOT_UNDOABLE.find((name) => value[name] !== undefined)
  if (noUndo !== undefined && value.compensate !== undefined) {
    refuseKey(reading, place, 'compensate', `a '${noUndo}' step has nothing to compensate`)
  }
  if (value.wait !== undefined && value.fallback !== undefined) {
    refuseKey(reading, place, 'fallback', `a 'wait' step cannot fail, so it cannot have a fallback`)
  }
  const spawns = ['command', 'dbt'].find((name) => value[name] !== undefined)
  if (spawns !== undefined && value.isolation !== undefined && value.isolation !== 'process') {
    refuseKey(reading, place, 'isolation', `a '${spawns}' step always runs in a process of its own`)
  }
}

function checkRobot({ run, with: input }: Given, place: Place, reading: Reading): void {
  const found = typeof run === 'string' ? robotProblem(run, isObject(input) ? input : {}) : undefined
  if (found !== undefined) refuse(reading, reading.codes.invalid, child(place, isObject(input) ? 'with' : 'run'), found)
}

function checkEffect(value: Given, place: Place, reading: Reading): void {
  const { effect } = value
  if (value.compensate !== undefined && (effect === 'none' || effect === 'irreversible')) {
    const message = `a step whose effect is '${effect}' cannot have 'compensate'`
    refuse(reading, 'PLAN_EFFECT_CONFLICT', child(place, 'effect'), message)
  }
  if (effect === 'compensatable' && value.compensate === undefined && value.plan === undefined) {
    const message = `the effect is 'compensatable', but 'compensate' does not say how`
    refuse(reading, 'PLAN_EFFECT_CONFLICT', child(place, 'effect'), message)
  }
}

function refuseKey(reading: Reading, place: Place, name: string, message: string): void {
  refuse(reading, reading.codes.invalid, child(place, name), message, { part: 'key' })
}

function finishStep(written: WrittenStep, { policy, position, isGraph }: StepContext): Step | undefined {
  const { id, stepId, run, http, command, wait, manual, plan, dbt, ...others } = written
  const { compensate: undo, fallback: instead, order, dependsOn, retry, timeoutMs, effect, isolation, ...rest } = others
  const action = actionOf({ run, http, command, wait, manual, plan, dbt })
  const name = stepId ?? id
  if (action === undefined || name === undefined) return undefined
  const compensation = undo === undefined ? undefined : finishCompensation(undo)
  const replacement = instead === undefined ? undefined : finishFallback(instead)
  return {
    ...rest,
    ...action,
    stepId: name,
    order: order ?? position,
    ...(isGraph ? { dependsOn: dependsOn ?? [] } : {}),
    retry: completeRetry(retry, policy.retry),
    timeoutMs: timeoutMs ?? policy.timeoutMs,
    effect: effect ?? defaultEffect(undo !== undefined),
    isolation: isolation ?? (command !== undefined || dbt !== undefined ? 'process' : 'inline'),
    ...(compensation === undefined ? {} : { compensate: compensation }),
    ...(replacement === undefined ? {} : { fallback: replacement }),
  }
}

function defaultEffect(hasCompensation: boolean): StepEffect {
  return hasCompensation ? 'compensatable' : 'idempotent'
}

type Undefinable<T> = { readonly [K in keyof T]?: T[K] | undefined }
type Actions = Undefinable<Pick<WrittenStep, ActionKind>>
type UndoingActions = Undefinable<Pick<WrittenStep, 'run' | 'http' | 'command' | 'dbt'>>

function actionOf({ wait, manual, plan, ...undoing }: Actions): Action | undefined {
  if (wait !== undefined) return { wait }
  if (manual !== undefined) return { manual }
  if (plan !== undefined) return { plan }
  return undoingActionOf(undoing)
}

type UndoingAction = RunAction | HttpAction | CommandAction | DbtAction

function undoingActionOf({ run, http, command, dbt }: UndoingActions): UndoingAction | undefined {
  if (run !== undefined) return { run }
  if (http !== undefined) return { http }
  if (command !== undefined) return { command }
  return dbt === undefined ? undefined : { dbt }
}

function finishCompensation(written: KindOf<typeof compensate>): Compensation | undefined {
  const { run, http, command, dbt, retry, ...rest } = written
  const action = undoingActionOf({ run, http, command, dbt })
  return action === undefined ? undefined : { ...rest, ...action, retry: completeRetry(retry, COMPENSATION_RETRY) }
}

function finishFallback(written: KindOf<typeof fallback>): Fallback | undefined {
  const { run, http, command, dbt, ...rest } = written
  const action = undoingActionOf({ run, http, command, dbt })
  return action === undefined ? undefined : { ...rest, ...action }
}
