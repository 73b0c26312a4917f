/** The text of a stranger's plan: a long one is read in a thread that is ended by time or by memory, and the process goes on. */
import { expect, it } from 'vitest'
import type { PlanRef } from '../../src/core/plan/compile/plan-ref.ts'
import { compilePlan } from '../../src/app/plans/compile.ts'
import { importPlan } from '../../src/app/plans/import-plan.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { compileText, importText, readApart } from '../../src/library/plans/compile-apart.ts'
import { watchJob } from '../../src/library/plans/watched-job.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const yaml = (steps: number): string =>
  `plan: p\nversion: 1.0.0\nsteps:\n${Array.from({ length: steps }, (_, index) => `  - { id: s${index}, run: f }`).join('\n')}\n`

it('a plan text that takes more time than it is given is given up, and the process lives', () => {
  expect(readApart({ text: yaml(20_000), options: {} }, { maxMs: 200, maxMegabytes: 512 })).toEqual({
    ok: false,
    problems: [
      { code: 'PLAN_TOO_COSTLY', message: 'reading the plan takes more than 0.2 s; it was stopped', retryable: false },
    ],
  })
})

it('a plan text that takes more memory than it is given is given up, and the process lives', () => {
  expect(readApart({ text: yaml(40_000), options: {} }, { maxMs: 120_000, maxMegabytes: 24 })).toEqual({
    ok: false,
    problems: [
      {
        code: 'PLAN_TOO_COSTLY',
        message: 'reading the plan takes more than 24 MB of memory; it was stopped',
        retryable: false,
      },
    ],
  })
})

it('a long plan text is the same plan, or has the same problems, wherever it is read', () => {
  const long = yaml(2_600)
  expect(long.length).toBeGreaterThan(LIMITS.planTextHereChars)
  expect(compileText(long)).toEqual(compilePlan(long))
  const wrong = `${long}nonsense: 1\n`
  const found = compileText(wrong, { file: 'p.yaml' })
  expect(found).toEqual(compilePlan(wrong, { file: 'p.yaml' }))
  expect(found.ok).toBe(false)
})

/** How often the loop turned meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  return turns
}

it('a plan that is started by reference is read in the thread too, and others are served meanwhile', async () => {
  await using keelson = await openKeelson({ directory: ':memory:', steps: { f: () => 1 } })
  const plan = loadPlan(yaml(4_000))
  const ref: PlanRef = await keelson.planRef(plan)
  await using other = await openKeelson({
    store: servicesOf(keelson).store,
    keysDirectory: ':memory:',
    steps: { f: () => 1 },
  })
  expect(await turnsDuring(() => other.start(ref, {}, { queue: true }))).toBeGreaterThan(50)
})

it('in the thread as well, time and memory are bounded for whoever goes on meanwhile', async () => {
  const job = { text: yaml(40_000), options: {} }
  expect(await watchJob(job, { maxMs: 200, maxMegabytes: 512 })).toEqual({ ended: 'time' })
  expect(await watchJob(job, { maxMs: 120_000, maxMegabytes: 24 })).toEqual({ ended: 'memory' })
})

it('a long foreign workflow is read in the thread, and has the same problems there', () => {
  const workflow = { file: 'w.yaml', text: `workflowId: w\nnotes: [${'x, '.repeat(30_000)}x]\n` }
  expect(workflow.text.length).toBeGreaterThan(LIMITS.planTextHereChars)
  const found = importText(workflow)
  expect(found.ok ? [] : found.problems.map(({ code }) => code)).toContain('WORKFLOW_INVALID')
  expect(found).toEqual(importPlan(workflow))
})
