/** A published plan by its name: its id, its version unless the newest is meant, and its hash if it is pinned. */
import { problem, type Problem } from '../../problems/problem.ts'
import { okUnless, type Result } from '../../result.ts'

export interface PlanName {
  readonly planId: string
  /** When omitted: the newest published version. */
  readonly planVersion?: string
  /** Lower-case hex: exactly these bytes. */
  readonly sha256?: string
}

const ID = /^[A-Za-z0-9_.-]{1,128}$/
const FIELDS: Readonly<Record<string, { readonly pattern: RegExp; readonly what: string }>> = {
  planId: { pattern: ID, what: 'the id of a plan' },
  planVersion: { pattern: ID, what: 'a version' },
  sha256: { pattern: /^[0-9a-f]{64}$/, what: '64 lower-case hex digits' },
}

/** The name may come from outside. */
export function parsePlanName(value: PlanName): Result<PlanName> {
  const problems: Problem[] = []
  for (const [name, given] of Object.entries(value)) {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
    const pointer = `/${name}`
    if (field === undefined)
      problems.push(problem('PLAN_REF_INVALID', `the name of a plan has no field '${name}'`, { pointer }))
    else if (given !== undefined && !(typeof given === 'string' && field.pattern.test(given)))
      problems.push(problem('PLAN_REF_INVALID', `'${name}' must be ${field.what}`, { pointer }))
  }
  if (value.planId === undefined)
    problems.push(problem('PLAN_REF_INVALID', `'planId' is missing`, { pointer: '/planId' }))
  return okUnless(problems, value)
}
