/** Codes of plan text, plan compilation and admission of a plan. */
export const PLAN_PROBLEMS = {
  INVALID_STEP_SCHEMA: {
    title: 'A step has a field that does not exist or a value of the wrong kind.',
    retryable: false,
    did: 'The plan was refused whole; nothing was started.',
    todo: 'Correct the field at the line and column given; docs/reference/plan.md lists every field.',
  },
} as const
