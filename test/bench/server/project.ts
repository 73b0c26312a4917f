/** The folder that the benched server serves: one plan of one step, and one that waits for a day. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const PLAN = `plan: one
version: 1.0.0
steps:
  - { id: work, run: work }
`
const WAITS = `plan: waits
version: 1.0.0
steps:
  - { id: day, wait: { for: 1d } }
`

export function writeProject(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'plan.yaml'), PLAN)
  writeFileSync(join(folder, 'waits.yaml'), WAITS)
  writeFileSync(join(folder, 'keelson.steps.mjs'), 'export const work = () => 1\n')
}
