/** What is checked before a start writes anything: who asks, what the plan needs, and whether the input fits the plan. */
import { unwrap } from '../../core/result.ts'
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import { releasedForMany } from '../../core/run/people/approvals.ts'
import { isBlank } from '../../core/run/people/person.ts'
import type { ApprovedAbove, RunLock } from '../../core/run/state/state.ts'
import { whoIsAsked } from '../../core/run/people/judge-person.ts'
import { isNamed } from '../../core/run/people/named-people.ts'
import { mustFitNames } from '../log/fitting.ts'
import { applyDefaults } from '../schemas/json-schema.ts'
import type { Principal } from '../principal.ts'
import { mustBeRecordable } from '../log/recordable.ts'
import { refuseReach } from '../plans/run-lock.ts'
import type { Services } from '../services.ts'

interface Asked {
  readonly principal: Principal
  readonly runId?: string
  readonly runRequestId?: string
  readonly originalRunId?: string
  readonly correlationId?: string
}

export function checkNames({ principal, runId, runRequestId, originalRunId, correlationId }: Asked): void {
  const { setUpBy: _known, ...names } = principal
  mustFitNames({ ...names, runId, correlationId })
  // The id of a fork is made of two ids, and each of them was checked.
  if (originalRunId === undefined) mustFitNames({ runRequestId })
  if (isBlank(principal.actorId))
    fail('USAGE', 'a run needs the name of the person who starts it (actorId), and blanks are not a name')
}

interface Given {
  readonly plan: { readonly plan: Plan }
  readonly lock?: RunLock | undefined
  readonly approved?: ApprovedAbove | undefined
  readonly input?: unknown
}

/** The input, with the defaults of the plan. */
export function checkStart(services: Services, given: Given, graph: PlanGraph): unknown {
  const {
    plan: { plan },
    lock,
    approved,
    input,
  } = given
  if (services.refusesManual === true) refuseManual(plan)
  if (lock !== undefined) refuseReach([plan], lock)
  needApprovable(graph, approved)
  return checkInput(plan, input)
}

/** An unnamed maker could be the same person as the checker (MAN-08). */
export function needNamedMakers(asking: string | undefined, actorId: string, before: readonly string[] = []): void {
  if (asking === undefined) return
  if (!isNamed(actorId)) fail('PERSON_NOT_NAMED', whoIsAsked(`'${asking}'`, 'makes the run'))
  if (!before.every(isNamed))
    fail(
      'PERSON_NOT_NAMED',
      `the rule of '${asking}' needs the name of every maker, and the run it comes from has one without a name`,
    )
}

/** One approval is not for many dispatches (MAN-13). */
function needApprovable(graph: PlanGraph, approved: ApprovedAbove | undefined): void {
  const many = releasedForMany(graph, approved)
  if (many === undefined) return
  fail('APPROVAL_FOR_MANY', `'${many.stepId}' cannot be undone and is dispatched for each item after '${many.gate}'`)
}

function refuseManual({ steps, metadata }: Plan): void {
  const step = steps.find((one) => 'manual' in one)
  if (step !== undefined)
    fail('KEYS_NOT_CONFIGURED', `step '${step.stepId}' of ${metadata.planId} waits for a person; its token needs a key`)
}

/** With the defaults of the plan. */
export function checkInput(plan: Plan, input: unknown): unknown {
  const given = recordableInput(input)
  if (plan.inputs === undefined) return given
  return unwrap(applyDefaults(plan.inputs, given, 'RUN_INPUT_INVALID'))
}

export function recordableInput(input: unknown): unknown {
  const given = input === undefined ? {} : input
  mustBeRecordable(given, 'RUN_INPUT_INVALID', 'the input')
  return given
}
