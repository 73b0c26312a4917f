/** Steps that move robots state their safety constraints, or the plan is refused. */
import { expect, it } from 'vitest'
import { compilePlan } from '../../../app/plans/compile.ts'

function refusals(run: string, input: string): readonly string[] {
  const compiled = compilePlan(`plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: "${run}", with: ${input} }]`)
  return compiled.ok ? [] : compiled.problems.map(({ message }) => message)
}

it('a robot action without its idempotency key, preemption, bypass or confirmation is refused by the parser [MAN-11]', () => {
  const key = 'idempotencyKey: "${run.id}"'
  expect(refusals('robot:execute_action', '{ supportsPreemption: true }')).toEqual([
    "'robot:execute_action' needs an idempotencyKey",
  ])
  expect(refusals('robot:cancel_action', '{}')).toEqual(["'robot:cancel_action' needs an idempotencyKey"])
  expect(refusals('robot:execute_action', `{ ${key} }`)).toEqual([
    "'robot:execute_action' needs supportsPreemption: true",
  ])
  for (const run of ['robot:stop', 'robot:estop_request']) {
    expect(refusals(run, '{ bypassTierEvaluation: false }')).toEqual([`'${run}' needs bypassTierEvaluation: true`])
    expect(refusals(run, '{ bypassTierEvaluation: true }')).toEqual([])
  }
  expect(refusals('robot:move', '{ executionTier: ManualOnly }')).toEqual([
    "'robot:move' needs requiresOperatorConfirmation: true",
  ])
  expect(refusals('robot:move', '{ executionTier: ManualOnly, requiresOperatorConfirmation: true }')).toEqual([])
  expect(refusals('robot:execute_action', `{ ${key}, supportsPreemption: true }`)).toEqual([])
  expect(refusals('robots.execute', '{}')).toEqual([])
})
