/** Why a step was skipped: each cause has its code. */
import { expect, it } from 'vitest'
import { scenario } from '../fixtures/scenario.ts'

const GRAPH = 'steps:\n  - { id: a, run: f, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a] }\n'

it('a condition that is false, a dependency that failed and an operator each give their code [EVT-21, SSM-12]', () => {
  const conditional = scenario('steps:\n  - { id: a, run: f, if: "input.go" }\n', {
    facts: { a: { condition: false } },
  }).start()
  expect(conditional.payload('StepSkipped', 'a')).toMatchObject({ reasonCode: 'CONDITION_FALSE' })

  const dependent = scenario(`policy: { onFailure: continue }\n${GRAPH}`).start().fails('a', { class: 'validation' })
  expect(dependent.payload('StepSkipped', 'b')).toMatchObject({ reasonCode: 'DEPENDENCY_FAILED' })

  const skipped = scenario(GRAPH).start().signals('SKIP_STEP', { stepId: 'b', reason: 'not today' })
  expect(skipped.payload('StepSkipped', 'b')).toMatchObject({
    reasonCode: 'OPERATOR_SKIP',
    reason: 'not today',
    signalId: 's1',
  })
})
