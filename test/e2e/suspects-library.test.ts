/**
 * A program with functions of its own, which no other process could load: what ends it again and again is found by running
 * suspects alone, and nothing that merely was at work at the same time is blamed.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson, sideLines } from './command.ts'
import { startChild } from '../fixtures/child.ts'

const PROGRAM = `import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { loadPlan, openKeelson } from ${JSON.stringify(join(ROOT, 'dist', 'main.js'))}
const note = (text) => appendFileSync('side.txt', text + '\\n')
const deaths = () => (existsSync('side.txt') ? readFileSync('side.txt', 'utf8').match(/^begun/gm).length : 0)
const steps = {
  // Innocent, and at work whenever the other kills; at the fourth time it comes to its end.
  good: async (input, { stepId }) => {
    while (deaths() < 4) await new Promise((resolve) => setTimeout(resolve, 10))
    note('good ' + stepId)
  },
  bad: async (input, { attempt }) => {
    note('bad ' + attempt)
    await new Promise((resolve) => setTimeout(resolve, 50))
    process.kill(process.pid, 'SIGKILL')
    await new Promise(() => {})
  },
}
note('begun')
const keelson = await openKeelson({ steps, leaseMs: 1000, pollMs: 50 })
if (process.argv[2] === 'first') {
  await keelson.start(loadPlan(readFileSync('q.yaml', 'utf8')))
  await keelson.start(loadPlan(readFileSync('p.yaml', 'utf8')))
}
for (;;) {
  const { runs } = await keelson.list({ status: ['PENDING', 'APPROVED', 'RUNNING', 'PAUSED'] }, { limit: 10 })
  if (runs.length === 0) break
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await keelson.close()
`
const P = `plan: p
version: 1.0.0
policy: { onFailure: continue }
steps:
  - { id: one, run: good, dependsOn: [], retry: { maxAttempts: 1 } }
  - { id: bad, run: bad, dependsOn: [], retry: { maxAttempts: 2, initialBackoffMs: 1 } }
  - { id: two, run: good, dependsOn: [], retry: { maxAttempts: 1 } }
`
const Q = 'plan: q\nversion: 1.0.0\nsteps:\n  - { id: other, run: good, retry: { maxAttempts: 1 } }\n'

beforeAll(ensureBuilt)

async function live(folder: string, ...args: readonly string[]): Promise<number | null> {
  const child = startChild(process.execPath, ['program.mjs', ...args], { cwd: folder })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

it('only the step that was alone at work at a death is failed, and its next attempt at one more [P-27]', async () => {
  const folder = folderWith({ 'program.mjs': PROGRAM, 'p.yaml': P, 'q.yaml': Q })
  let deaths = 0
  for (let code = await live(folder, 'first'); code !== 0; code = await live(folder)) {
    deaths += 1
    if (deaths > 12) throw new Error('it never came to an end')
  }
  const lines = sideLines(folder)
  expect(lines.filter((line) => line.startsWith('good')).sort()).toEqual(['good one', 'good other', 'good two'])
  expect(lines.filter((line) => line === 'bad 2')).toHaveLength(1)
  expect(deaths).toBe(lines.filter((line) => line.startsWith('bad')).length)
  const events = jsonLines((await keelson(['events', 'last', '--json'], folder)).stdout)
  expect(
    events
      .filter(({ eventType }) => eventType === 'StepFailed')
      .map(({ stepId, payload }) => [stepId, (payload as { readonly error: { readonly code: string } }).error.code]),
  ).toEqual([
    ['bad', 'PROCESS_DIED'],
    ['bad', 'PROCESS_DIED'],
  ])
  expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
  expect((await keelson(['runs', '--counts', '--json'], folder)).stdout).toMatch(
    /"COMPLETED":1.*"FAILED":1|"FAILED":1.*"COMPLETED":1/,
  )
})
