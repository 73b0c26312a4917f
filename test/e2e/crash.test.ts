/** Processes die; runs do not. Step functions note each execution in a file, so that a repeated one would be seen. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { openKeelson } from '../../src/main.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until } from './command.ts'

const STEPS = `import { appendFileSync } from 'node:fs'
const note = (text) => appendFileSync('side.txt', text + '\\n')
const gate = async (name, signal) => {
  const { existsSync } = await import('node:fs')
  while (!existsSync(name)) await new Promise((resolve) => setTimeout(resolve, 20))
}
export const fast = (input, { stepId, engineAttempt }) => note(stepId + ' ' + engineAttempt)
export const slow = async (input, { stepId, engineAttempt }) => {
  note(stepId + ' ' + engineAttempt)
  if (engineAttempt === 1) await gate('never')
}
`
const PLAN = `plan: p
version: 1.0.0
steps:
  - { id: a, run: fast }
  - { id: b, run: fast }
  - { id: c, run: slow }
  - { id: d, run: fast }
`

beforeAll(ensureBuilt)

it('a run killed in the middle of a step is resumed at once; completed steps are not executed again', async () => {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  const first = new Command(['run', 'p.yaml'], folder)
  await until('step c has begun', () => sideLines(folder).includes('c 1'))
  first.kill('SIGKILL')
  await first.finished
  const left = await keelson(['runs'], folder)
  expect(left.stdout).toMatch(/RUNNING\s+2\/4/)
  // Its lease lasts a little longer; that its holder is gone is known at once.
  const id = left.stdout.split('\n')[1]?.slice(0, 8) ?? ''
  expect((await keelson(['why', 'last'], folder)).stdout).toMatch(`Nobody drives this run now: keelson resume ${id}\n`)
  expect((await keelson(['show', 'last'], folder)).stdout).toMatch(`nobody drives it: keelson resume ${id}\n`)
  const { code, stdout } = await keelson(['resume', '--json'], folder)
  expect(code).toBe(0)
  expect(sideLines(folder)).toEqual(['a 1', 'b 1', 'c 1', 'c 2', 'd 1'])
  const events = jsonLines(stdout)
  expect(events.at(-1)).toMatchObject({ result: { status: 'COMPLETED' } })
  const outcome = events.find((one) => one['eventType'] === 'StepCompleted' && one['stepId'] === 'c')
  expect(outcome).toMatchObject({ logicalAttemptId: 1, engineAttemptId: 2 })
  expect(events.map((one) => one['runSeq']).slice(0, -1)).toEqual(events.slice(1).map((_, index) => index + 1))
  expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
})

it(
  'run drives its own run and leaves what another left behind; resume and a program adopt it [P-30]',
  { timeout: 180_000 },
  async () => {
    const own = 'plan: own\nversion: 1.0.0\nsteps: [{ id: x, run: fast }, { id: nap, wait: { forMs: 1500 } }]\n'
    const folder = folderWith({ 'p.yaml': PLAN, 'own.yaml': own, 'keelson.steps.mjs': STEPS })
    const stored = () => {
      const db = new DatabaseSync(join(folder, '.keelson', 'keelson.db'), { readOnly: true })
      try {
        return db.prepare('SELECT run_id AS id, status, next_seq AS next, epoch FROM runs ORDER BY run_key').all()
      } finally {
        db.close()
      }
    }
    const leftBehind = async (): Promise<void> => {
      const before = sideLines(folder).filter((line) => line === 'c 1').length
      const first = new Command(['run', 'p.yaml'], folder)
      await until('step c has begun', () => sideLines(folder).filter((line) => line === 'c 1').length > before)
      first.kill('SIGKILL')
      await first.finished
    }
    await leftBehind()
    const [abandoned] = stored()
    expect(abandoned).toMatchObject({ status: 'RUNNING', epoch: 1 })
    expect((await keelson(['run', 'own.yaml'], folder)).code).toBe(0)
    expect(stored().map(({ status }) => status)).toEqual(['RUNNING', 'COMPLETED'])
    expect(stored()[0]).toEqual(abandoned)
    expect((await keelson(['resume'], folder)).code).toBe(0)
    expect(stored()[0]).toMatchObject({ status: 'COMPLETED', epoch: 2 })
    await leftBehind()
    const steps = { fast: () => 1, slow: () => 1 }
    await using program = await openKeelson({ directory: join(folder, '.keelson'), pollMs: 20, steps })
    expect((await (await program.run(String(stored()[2]?.['id']))).result()).status).toBe('COMPLETED')
  },
)

it('a wait survives the death of its process and is over when its time is', async () => {
  const plan =
    'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: fast }\n  - { id: nap, wait: { forMs: 3000 } }\n  - { id: b, run: fast }\n'
  const folder = folderWith({ 'p.yaml': plan, 'keelson.steps.mjs': STEPS })
  const first = new Command(['run', 'p.yaml'], folder)
  await first.shows(/▸ nap/)
  first.kill('SIGKILL')
  await first.finished
  const why = await keelson(['why', 'last', 'nap'], folder)
  expect(why.stdout).toMatch(/^nap is not done yet\n {2}1 {2}it waits until .*\(in \d s\)/)
  const { code, stdout } = await keelson(['resume', '--json'], folder)
  expect(code).toBe(0)
  expect(sideLines(folder)).toEqual(['a 1', 'b 1'])
  const at = (type: string): number =>
    Date.parse(
      String(jsonLines(stdout).find((one) => one['eventType'] === type && one['stepId'] === 'nap')?.['emittedAt']),
    )
  expect(at('StepCompleted') - at('StepStarted')).toBeGreaterThanOrEqual(3000)
})

it('child runs of a killed process go on with their parent', async () => {
  const parent =
    'plan: parent\nversion: 1.0.0\nsteps:\n  - { id: child, plan: { planId: kid } }\n  - { id: z, run: fast }\n'
  const kid = 'plan: kid\nversion: 1.0.0\nsteps:\n  - { id: x, run: fast }\n  - { id: y, run: slow }\n'
  const folder = folderWith({ 'parent.yaml': parent, 'kid.yaml': kid, 'keelson.steps.mjs': STEPS })
  const first = new Command(['run', 'parent.yaml'], folder)
  await until('the child is in its second step', () => sideLines(folder).includes('y 1'))
  first.kill('SIGKILL')
  await first.finished
  const { code } = await keelson(['resume'], folder)
  expect(code).toBe(0)
  expect(sideLines(folder)).toEqual(['x 1', 'y 1', 'y 2', 'z 1'])
})

it('several runs are resumed together, each with the functions it was started with', async () => {
  const other = STEPS.replaceAll("note(stepId + ' '", "note('other ' + stepId + ' '")
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS, 'other.mjs': other })
  const runs = [
    new Command(['run', 'p.yaml'], folder),
    new Command(['run', 'p.yaml', '--steps', 'other.mjs', '--set', 'n=2'], folder),
  ]
  await until('both are in step c', () => sideLines(folder).filter((line) => line.endsWith('c 1')).length === 2)
  for (const one of runs) one.kill('SIGKILL')
  await Promise.all(runs.map((one) => one.finished))
  const { code, stdout } = await keelson(['resume'], folder)
  expect(code).toBe(0)
  expect(stdout.match(/✔ completed in/g)).toHaveLength(2)
  expect([...sideLines(folder)].filter((line) => line.endsWith('d 1')).sort()).toEqual(['d 1', 'other d 1'])
})
