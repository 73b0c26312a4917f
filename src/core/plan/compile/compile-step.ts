/**
 * Compiles one step of the author's document: exactly one action, the rules between fields, and every default filled in
 * from the plan's policy.
 */
import { isObject, mustBe, type KindOf } from '../format/kind.ts'
import type {
  Action,
  ActionKind,
  CommandAction,
  Compensation,
  DbtAction,
  Fallback,
  ForEach,
  HttpAction,
  Json,
  Mapping,
  PlanAction,
  PlanPolicy,
  RetryPolicy,
  RunAction,
  Step,
  StepEffect,
} from '../plan.ts'
import { child, refuse, STEP_CODES, type Place, type Reading } from '../read/reading.ts'
import { COMPENSATION_RETRY, completeRetry } from '../format/retry-fields.ts'
import type { WrittenForEach } from '../format/for-each-fields.ts'
import { robotProblem } from './robot-action.ts'
import { ACTION_FIELDS, step as stepKind, type compensate, type fallback } from '../format/step-fields.ts'

export interface StepContext {
  readonly policy: PlanPolicy
  readonly position: number
  /** In a graph every compiled step lists its dependencies. */
  readonly isGraph: boolean
  /** Where its `forEach` holds steps: what the step does is to start them. */
  readonly block?: BlockAction
}

/** A block of steps as an action: the plan made of it, and what it is given. */
export interface BlockAction extends PlanAction {
  readonly with: Mapping
  /** Something in it can be undone, and so can it. */
  readonly undoes: boolean
}

type Given = { readonly [name: string]: Json }
type WrittenStep = KindOf<typeof stepKind>

const ACTIONS = Object.keys(ACTION_FIELDS)
const UNDOING_ACTIONS = ['run', 'http', 'command', 'dbt']
/** A wait leaves nothing to undo, and a person must undo what a person did. */
const NOT_UNDOABLE = ['wait', 'manual']

export function compileStep(value: Json, place: Place, reading: Reading, context: StepContext): Step | undefined {
  const inStep: Reading = { ...reading, codes: STEP_CODES }
  if (!isObject(value)) return mustBe(stepKind, value, place, inStep)
  const before = reading.problems.length
  checkId(value, place, inStep)
  if (context.block === undefined) checkOneAction(value, ACTIONS, place, inStep)
  else checkNoAction(value, place, inStep)
  checkTogether(value, place, inStep)
  checkRobot(value, place, inStep)
  const written = stepKind.read(value, place, inStep)
  if (written === undefined || reading.problems.length > before) return undefined
  const finished = finishStep(written, context)
  if (finished !== undefined) checkPauses(finished, value, place, inStep)
  return finished
}

/** Attempts without a limit and without a pause between them would fill the log as fast as it can be written. */
function checkPauses(step: Step, value: Given, place: Place, reading: Reading): void {
  const { compensate: undo } = step
  const undoPlace = child(place, 'compensate')
  if (isEndless(step.retry))
    refuseEndless(value.retry === undefined ? place : child(child(place, 'retry'), 'maxAttempts'), reading)
  if (undo !== undefined && isEndless(undo.retry))
    refuseEndless(child(child(undoPlace, 'retry'), 'maxAttempts'), reading)
}

function isEndless({ maxAttempts, initialBackoffMs, maxBackoffMs }: RetryPolicy): boolean {
  return maxAttempts === 'unlimited' && Math.min(initialBackoffMs, maxBackoffMs) === 0
}

function refuseEndless(place: Place, reading: Reading): void {
  const message = `'unlimited' attempts need a pause between them: initialBackoff and maxBackoff of at least 1ms`
  refuse(reading, reading.codes.invalid, place, message)
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

function checkNoAction(value: Given, place: Place, reading: Reading): void {
  for (const name of [...ACTIONS, 'with'].filter((one) => value[one] !== undefined)) {
    const message = `'${name}' and the steps under 'forEach' are both given; the steps are what is done for each item`
    refuseKey(reading, place, name, message)
  }
  for (const name of ['fallback', 'inputSchema', 'secrets', 'agent', 'resources'].filter(
    (one) => value[one] !== undefined,
  ))
    refuseKey(reading, place, name, `'${name}' belongs to a step that does something itself: write it in the block`)
}

/** Rules between fields, read by name so that they are reported even when another field is wrong. */
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
  const waitsForEvent = isObject(value.wait) && value.wait['forEvent'] !== undefined
  if (value.wait !== undefined && value.fallback !== undefined && !waitsForEvent) {
    refuseKey(reading, place, 'fallback', `a 'wait' step cannot fail, so it cannot have a fallback`)
  }
  if (value.manual !== undefined && value.onFailure !== undefined) {
    const message = `what a person refused cannot be passed over: a 'manual' step has no 'onFailure'`
    refuseKey(reading, place, 'onFailure', message)
  }
  const spawns = ['command', 'dbt'].find((name) => value[name] !== undefined)
  if (spawns !== undefined && value.isolation !== undefined && value.isolation !== 'process') {
    refuseKey(reading, place, 'isolation', `a '${spawns}' step always runs in a process of its own`)
  }
  if (isObject(value.dispatch) && value.dispatch['queue'] !== undefined)
    checkQueue(value, child(place, 'dispatch'), place, reading)
}

/** Remote workers call functions: they are told a name and an input, and the engine does everything else itself. */
function checkQueue(value: Given, dispatchPlace: Place, place: Place, reading: Reading): void {
  const other = ACTIONS.find((name) => name !== 'run' && value[name] !== undefined)
  if (other !== undefined)
    refuseKey(reading, dispatchPlace, 'queue', `remote workers call functions: a '${other}' step has no 'queue'`)
  if (value.isolation !== undefined && value.isolation !== 'inline')
    refuseKey(reading, place, 'isolation', `a step of the queue of remote workers runs there, and is not isolated here`)
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
  const isPlan = value.plan !== undefined || (isObject(value.forEach) && value.forEach.steps !== undefined)
  if (effect === 'compensatable' && value.compensate === undefined && !isPlan) {
    const message = `the effect is 'compensatable', but 'compensate' does not say how`
    refuse(reading, 'PLAN_EFFECT_CONFLICT', child(place, 'effect'), message)
  }
}

function refuseKey(reading: Reading, place: Place, name: string, message: string): void {
  refuse(reading, reading.codes.invalid, child(place, name), message, { part: 'key' })
}

function finishStep(written: WrittenStep, { policy, position, isGraph, block }: StepContext): Step | undefined {
  const { id, stepId, run, http, command, wait, manual, plan, dbt, ...others } = written
  const { compensate: undo, fallback: instead, order, dependsOn, retry, timeoutMs, effect, isolation, ...more } = others
  const { forEach, ...rest } = more
  const started = block === undefined ? plan : block.plan
  const action = actionOf({ run, http: withMethod(http, others.with), command, wait, manual, plan: started, dbt })
  const name = stepId ?? id
  if (action === undefined || name === undefined) return undefined
  const compensation = undo === undefined ? undefined : finishCompensation(undo)
  const replacement = instead === undefined ? undefined : finishFallback(instead)
  return {
    ...rest,
    ...action,
    ...(block === undefined ? {} : { with: block.with }),
    ...(forEach === undefined ? {} : { forEach: finishForEach(forEach) }),
    stepId: name,
    order: order ?? position,
    ...(isGraph ? { dependsOn: dependsOn ?? [] } : {}),
    retry: completeRetry(retry, policy.retry),
    timeoutMs: timeoutMs ?? policy.timeoutMs,
    effect: effect ?? defaultEffect(undo !== undefined || block?.undoes === true),
    isolation: isolation ?? (command !== undefined || dbt !== undefined ? 'process' : 'inline'),
    ...(compensation === undefined ? {} : { compensate: compensation }),
    ...(replacement === undefined ? {} : { fallback: replacement }),
  }
}

/** One spelling for one meaning: what says no more than its list is its list. */
function finishForEach(written: WrittenForEach): ForEach {
  if (typeof written === 'string') return written
  const { in: list, concurrency } = written
  return concurrency === undefined ? list : { in: list, concurrency }
}

function defaultEffect(hasCompensation: boolean): StepEffect {
  return hasCompensation ? 'compensatable' : 'idempotent'
}

type Undefinable<T> = { readonly [K in keyof T]?: T[K] | undefined }
type WithMethod = { readonly http?: HttpAction['http'] | undefined }
type Actions = Undefinable<Omit<Pick<WrittenStep, ActionKind>, 'http'>> & WithMethod
type CompensatingActions = Undefinable<Pick<WrittenStep, 'run' | 'command' | 'dbt'>> & WithMethod

/** Who sends something posts it, and who sends nothing asks: `with` is the body where none is written. */
function withMethod(http: WrittenStep['http'], input: Mapping): HttpAction['http'] | undefined {
  if (http === undefined) return undefined
  const sends = http.body !== undefined || Object.keys(input).length > 0
  return { ...http, method: http.method ?? (sends ? 'POST' : 'GET') }
}

function actionOf({ wait, manual, plan, ...undoing }: Actions): Action | undefined {
  if (wait !== undefined) return { wait }
  if (manual !== undefined) return { manual }
  if (plan !== undefined) return { plan }
  return compensatingActionOf(undoing)
}

type CompensatingAction = RunAction | HttpAction | CommandAction | DbtAction

function compensatingActionOf({ run, http, command, dbt }: CompensatingActions): CompensatingAction | undefined {
  if (run !== undefined) return { run }
  if (http !== undefined) return { http }
  if (command !== undefined) return { command }
  return dbt === undefined ? undefined : { dbt }
}

/** Whoever undoes a step needs to know what it was given and what came of it. */
const OF_THE_STEP: Mapping = { input: '${step.input}', output: '${step.output}' }

function finishCompensation(written: KindOf<typeof compensate>): Compensation | undefined {
  const { run, http, command, dbt, retry, with: given = OF_THE_STEP, ...rest } = written
  const action = compensatingActionOf({ run, http: withMethod(http, given), command, dbt })
  if (action === undefined) return undefined
  return { ...rest, ...action, with: given, retry: completeRetry(retry, COMPENSATION_RETRY) }
}

function finishFallback(written: KindOf<typeof fallback>): Fallback | undefined {
  const { run, http, command, dbt, ...rest } = written
  const action = compensatingActionOf({ run, http: withMethod(http, rest.with), command, dbt })
  return action === undefined ? undefined : { ...rest, ...action }
}
