/** What a plan calls and a process lacks. */
import { expect, it } from 'vitest'
import { compilePlan } from './compile.ts'
import { missingHandlers } from './missing-handlers.ts'

const PLAN = `
plan: p
version: 1.0.0
steps:
  - { id: a, run: one, compensate: { run: undo }, fallback: { run: other } }
  - { id: b, run: one }
  - { id: c, wait: { forMs: 5 } }
`

it('names each once: of steps, of what undoes them and of fallbacks', () => {
  const compiled = compilePlan(PLAN)
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message)
  const knowing = (...names: readonly string[]) => ({
    missing: (action: object) => ('run' in action && !names.includes(String(action.run)) ? [String(action.run)] : []),
  })
  expect(missingHandlers(compiled.value.plan, knowing())).toEqual(['one', 'undo', 'other'])
  expect(missingHandlers(compiled.value.plan, knowing('one', 'undo', 'other'))).toEqual([])
})
