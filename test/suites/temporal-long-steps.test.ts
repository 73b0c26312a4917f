/**
 * Steps that may run for longer than ten minutes are workflows of their own, which report through the inbox: they complete,
 * are cancelled, outlive rotations of their run, and are missed when somebody ends them. And programs that do not want to
 * stop are made to.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunHandle, StepContext } from '../../src/main.ts'
import { executionsOf } from '../fixtures/temporal-executions.ts'
import { expectSound } from '../fixtures/temporal-log.ts'
import { logHas, temporalWorld, type TemporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { fileFolder } from '../fixtures/folder.ts'
import { servicesOf } from '../../src/library/services-of.ts'

let server: TemporalServer
let world: TemporalWorld
const folder = fileFolder()

let gate = Promise.withResolvers<void>()
const began: string[] = []
const steps = {
  echo: (input: unknown) => input,
  slow: async (_input: unknown, { stepId, attempt, signal }: StepContext) => {
    began.push(`${stepId}#${attempt}`)
    const stopped = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    )
    await Promise.race([gate.promise, stopped])
    return { ended: true }
  },
}

beforeAll(async () => {
  server = await startTemporal()
  world = await temporalWorld(server.address, steps, { rotation: { steps: 4 }, open: { commands: { cwd: folder } } })
}, 600_000)
afterAll(async () => {
  gate.resolve()
  await world?.close()
  await server?.stop()
})

const LONG = `
plan: long
version: 1.0.0
output: '\${steps.slow.output}'
steps:
  - { id: slow, run: slow, timeoutMs: 3600000, retry: { maxAttempts: 2, initialBackoffMs: 10 } }
  - { id: after, dependsOn: [slow], run: echo, with: {} }
`

async function startLong(plan = LONG): Promise<RunHandle> {
  gate = Promise.withResolvers()
  began.length = 0
  const run = await world.start(plan)
  await until(() => began.includes('slow#1'))
  return run
}

const childOf = (run: RunHandle, attempt = 1): string => `${run.runId}:ExecuteStep:slow:${attempt}:1`

function statusOf(workflowId: string): string {
  const text = server.command('workflow', 'describe', '--workflow-id', workflowId, '--output', 'json')
  return (JSON.parse(text) as { workflowExecutionInfo: { status: string } }).workflowExecutionInfo.status
}

describe('a step that may run for long', () => {
  it('is a workflow of its own, and its outcome comes to the run by inbox row [P-36, TMP-02]', async () => {
    const run = await startLong()
    await until(() => statusOf(childOf(run)).endsWith('RUNNING'))
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED', output: { ended: true } })
    await expectSound(world.keelson, run)
    const { store } = servicesOf(world.keelson)
    expect(await store.findInbox(run.row.runKey, 'outcome:ExecuteStep:slow:1:1')).toMatchObject({ kind: 'outcome' })
    await until(() => statusOf(childOf(run)).endsWith('COMPLETED'))
  })

  it('does not hold a rotation up, and is not started again by the execution after it [P-36, P-39, TMP-02]', async () => {
    const others = Array.from({ length: 12 }, (_, n) => {
      const after = n === 0 ? '' : `, dependsOn: [s${n - 1}]`
      return `  - { id: s${n}, run: echo, with: {}${after} }`
    })
    const run = await startLong(`${LONG}${others.join('\n')}\n`)
    await logHas(run, 'StepCompleted s11#1')
    await until(() => executionsOf(server.command, run.runId).length >= 3)
    expect(statusOf(childOf(run))).toMatch(/RUNNING$/)
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await expectSound(world.keelson, run)
    expect(began).toEqual(['slow#1'])
  })

  it('stops when its run is cancelled [P-36, TMP-07]', async () => {
    const run = await startLong()
    await run.cancel('enough')
    await expect(run.result()).resolves.toMatchObject({ status: 'CANCELLED' })
    const events = await expectSound(world.keelson, run)
    expect(events.filter((one) => one.startsWith('Step'))).toEqual(['StepStarted slow#1', 'StepFailed slow#1'])
    await until(() => !statusOf(childOf(run)).endsWith('RUNNING'))
  })

  it('is lost when somebody ends its workflow: its attempt failed, and its policy decides [P-38]', async () => {
    const run = await startLong()
    server.command('workflow', 'terminate', '--workflow-id', childOf(run), '--reason', 'by mistake')
    await until(() => began.includes('slow#2'))
    const failed = (await run.records()).find(({ eventType }) => eventType === 'StepFailed')
    expect(failed).toMatchObject({ stepId: 'slow', payload: { error: { code: 'ENGINE_LOST' }, final: false } })
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(world.keelson, run)
    expect(events.filter((one) => one.includes('slow'))).toEqual([
      'StepStarted slow#1',
      'StepFailed slow#1',
      'StepStarted slow#2',
      'StepCompleted slow#2',
    ])
  })

  it('of an attempt that was taken over can be ended by anybody: the attempt at work does not notice [P-27, P-38]', async () => {
    const run = await startLong()
    server.command('workflow', 'terminate', '--workflow-id', run.runId, '--reason', 'by mistake')
    const second = `${run.runId}:ExecuteStep:slow:1:2`
    await until(async () => (await world.keelson.run(run.runId)).row.epoch === 2)
    await until(() => began.length === 2)
    expect(statusOf(second)).toMatch(/RUNNING$/)
    server.command('workflow', 'terminate', '--workflow-id', childOf(run), '--reason', 'tidying up')
    await logHas(run, 'LateOutcomeRecorded slow#1')
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(world.keelson, run)
    expect(events.filter((one) => one.startsWith('StepFailed'))).toEqual([])
  })
})

describe('a program that ignores being asked to stop', () => {
  it('is killed five seconds later, and the run is cancelled meanwhile [TMP-08, CAN-04]', async () => {
    const told = join(folder, 'told')
    const pidFile = join(folder, 'pid')
    const script = 'trap "date +%s%3N > told" TERM; echo $$ > pid; while :; do sleep 0.1; done'
    const run = await world.start(`
plan: stubborn
version: 1.0.0
steps: [{ id: a, command: { argv: [sh, -c, '${script}'] } }]
`)
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'))
    const pid = Number(readFileSync(pidFile, 'utf8'))
    await run.cancel('enough')
    await until(() => existsSync(told) && readFileSync(told, 'utf8').endsWith('\n'))
    expect(isAlive(pid)).toBe(true)
    await until(() => !isAlive(pid))
    const livedOn = Date.now() - Number(readFileSync(told, 'utf8'))
    expect(livedOn).toBeGreaterThanOrEqual(4_900)
    await expect(run.result()).resolves.toMatchObject({ status: 'CANCELLED' })
    const events = await expectSound(world.keelson, run)
    expect(events.filter((one) => one.startsWith('Step'))).toEqual(['StepStarted a#1', 'StepFailed a#1'])
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
