/** Steps in threads and processes of their own, through the library's front door: they run, they are stopped, and without their file they are refused. */
import { expect, it } from 'vitest'
import { join } from 'node:path'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { folderWith, sideLines, until } from './command.ts'

const STEPS = `import { appendFileSync } from 'node:fs'
import { isMainThread, threadId } from 'node:worker_threads'
const note = (text) => appendFileSync(new URL('side.txt', import.meta.url), text + '\\n')
export const where = () => ({ pid: process.pid, isMainThread })
export const stubborn = (input, { stepId }) => {
  note(stepId + ' ' + process.pid)
  for (;;);
}
`
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('a run uses threads and processes where its steps ask for them', async () => {
  const folder = folderWith({ 'steps.mjs': STEPS })
  const stepsModule = join(folder, 'steps.mjs')
  const steps = { where: () => ({ pid: process.pid, isMainThread: true }) }
  await using keelson = await openKeelson({ directory: ':memory:', steps, stepsModule })
  const plan = loadPlan(`plan: p
version: 1.0.0
output: { here: "\${steps.here.output}", thread: "\${steps.thread.output}", process: "\${steps.process.output}" }
steps:
  - { id: here, run: where }
  - { id: thread, run: where, isolation: thread }
  - { id: process, run: where, isolation: process }`)
  const result = await (await keelson.start(plan)).result()
  expect(result).toMatchObject({
    status: 'COMPLETED',
    output: {
      here: { pid: process.pid },
      thread: { pid: process.pid, isMainThread: false },
      process: { isMainThread: true },
    },
  })
  expect((result.output as { process: { pid: number } }).process.pid).not.toBe(process.pid)
})

it('a cancel ends endless loops in both by force once the grace of 5 s is over, and nothing of them is left [CAN-01, CAN-04]', async () => {
  const folder = folderWith({ 'steps.mjs': STEPS })
  const steps = { stubborn: () => undefined }
  await using keelson = await openKeelson({ directory: ':memory:', steps, stepsModule: join(folder, 'steps.mjs') })
  const plan = loadPlan(`plan: p
version: 1.0.0
steps:
  - { id: thread, run: stubborn, isolation: thread, dependsOn: [] }
  - { id: process, run: stubborn, isolation: process, dependsOn: [] }`)
  const handle = await keelson.start(plan)
  await until('both are at work', () => sideLines(folder).length === 2)
  const pid = Number(
    sideLines(folder)
      .find((line) => line.startsWith('process '))
      ?.split(' ')[1],
  )
  await handle.signal('CANCEL')
  expect((await handle.result()).status).toBe('CANCELLED')
  const records = await handle.records()
  const at = (type: string): number =>
    Date.parse(String(records.findLast((record) => record.eventType === type)?.emittedAt))
  expect(at('RunCancelled') - at('SignalAccepted')).toBeGreaterThanOrEqual(5000)
  expect(
    records.filter(({ eventType }) => eventType === 'StepFailed').map(({ payload }) => payload?.['error']),
  ).toEqual([expect.objectContaining({ code: 'CANCELLED' }), expect.objectContaining({ code: 'CANCELLED' })])
  await until('the process is gone', () => !isAlive(pid))
  expect((await handle.records()).at(-1)?.eventType).toBe('RunCancelled')
})

it('a plan that wants them is refused at its start when nobody named the file of its functions', async () => {
  await using keelson = await openKeelson({ directory: ':memory:', steps: { f: () => null } })
  for (const isolation of ['thread', 'process']) {
    const plan = loadPlan(`plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f, isolation: ${isolation} }]`)
    await expect(keelson.start(plan)).rejects.toMatchObject({ code: 'ISOLATION_UNAVAILABLE' })
  }
  expect((await keelson.list({}, { limit: 10 })).runs).toEqual([])
})
