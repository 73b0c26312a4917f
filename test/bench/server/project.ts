/** The folder that the benched server serves: one plan of one step. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const PLAN = `plan: one
version: 1.0.0
steps:
  - { id: work, run: work }
`

export function writeProject(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'plan.yaml'), PLAN)
  writeFileSync(join(folder, 'keelson.steps.mjs'), 'export const work = () => 1\n')
}
