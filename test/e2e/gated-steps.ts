/** A project of two steps that each end when a file named after them appears, or when they are aborted. */
export const STEPS = `import { appendFileSync, existsSync } from 'node:fs'
export const gated = async (input, { stepId, signal }) => {
  appendFileSync('side.txt', stepId + '\\n')
  while (!existsSync(stepId)) {
    if (signal.aborted) throw signal.reason
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return stepId
}
`
export const PLAN = 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: gated }\n  - { id: b, run: gated }\n'
