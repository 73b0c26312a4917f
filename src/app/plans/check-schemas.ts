/** Checks that every JSON Schema in a plan is one Keelson can validate with, before any run needs it. */
import type { JsonSchema } from '../../core/plan/plan.ts'
import type { PlanReading } from '../../core/plan/compile/parse-plan.ts'
import { refuse } from '../../core/plan/read/reading.ts'
import type { Problem } from '../../core/problems/problem.ts'
import { checkSchema } from '../schemas/json-schema.ts'

type Checked = Pick<PlanReading, 'sites' | 'blocks' | 'positionOf'>

export function checkSchemas({ sites, blocks, positionOf }: Checked): readonly Problem[] {
  const checking = { problems: [] as Problem[], positionOf }
  for (const { role, value, place } of sites) {
    if (role !== 'schema') continue
    const checked = checkSchema(value as JsonSchema)
    if (checked.ok) continue
    for (const { code, message, hint } of checked.problems) {
      refuse(checking, code, place, message, hint === undefined ? {} : { hint })
    }
  }
  return [...checking.problems, ...blocks.flatMap((block) => checkSchemas({ ...block, positionOf }))]
}
