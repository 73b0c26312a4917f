/**
 * What a step that moves a robot must state (MAN-11): such a step is a function named `robot:…`, and its input carries
 * the constraints. A plan with a step that lacks them is refused, long before anything moves.
 */
const KEYED = ['robot:execute_action', 'robot:cancel_action']
const STOPS = ['robot:stop', 'robot:estop_request']

/** What is wrong; undefined when nothing is. */
export function robotProblem(run: string, input: Readonly<Record<string, unknown>>): string | undefined {
  if (!run.startsWith('robot:')) return undefined
  const must = (field: string): string => `'${run}' needs ${field}: true`
  const key = input['idempotencyKey']
  if (KEYED.includes(run) && (typeof key !== 'string' || key === '')) return `'${run}' needs an idempotencyKey`
  if (run === 'robot:execute_action' && input['supportsPreemption'] !== true) return must('supportsPreemption')
  if (STOPS.includes(run) && input['bypassTierEvaluation'] !== true) return must('bypassTierEvaluation')
  if (input['executionTier'] === 'ManualOnly' && input['requiresOperatorConfirmation'] !== true)
    return must('requiresOperatorConfirmation')
  return undefined
}
