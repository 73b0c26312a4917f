/** What of a folder is taken for a plan. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readProject } from '../../src/edge/cli/serve/project.ts'
import { testFolder } from '../fixtures/folder.ts'

const STEPS = [{ id: 'pack', wait: { for: '1ms' } }]

it('the schema that init lays beside a plan is no plan; a plan in JSON is one, and a broken one is told', async () => {
  const folder = testFolder()
  copyFileSync('schemas/plan.schema.json', join(folder, 'plan.schema.json'))
  writeFileSync(join(folder, 'order.json'), JSON.stringify({ plan: 'order', version: '1.0.0', steps: STEPS }))
  writeFileSync(join(folder, 'input.json'), JSON.stringify({ input: { plan: 'order', steps: 3 } }, undefined, 2))
  writeFileSync(join(folder, 'torn.json'), '{\n  "plan": "torn",\n  "steps": [')
  const { plans, problems } = await readProject(folder)
  expect(plans.map(({ compiled }) => compiled.plan.metadata.planId)).toEqual(['order'])
  expect(problems.map(({ file }) => file)).toEqual([join(folder, 'torn.json')])
})
