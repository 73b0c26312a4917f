/** A program whose time is up keeps its attempt open until it is gone: two attempts of one step are never at work at once. */
import { expect, it } from 'vitest'
import { stepHandlers } from '../../src/adapters/handlers/step-handlers.ts'
import { isolatedHandlers } from '../../src/adapters/isolation/isolated-handlers.ts'
import type { Egress } from '../../src/ports/egress.ts'
import type { HostEvents } from '../../src/ports/isolation.ts'
import type { CommandEnd } from '../../src/ports/processes.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'

const NO_EGRESS: Egress = { send: () => Promise.reject(new Error('nobody asks')) }
const ENDED: CommandEnd = {
  exitCode: null,
  signal: 'SIGTERM',
  stdout: '',
  stdoutTruncated: false,
  stdoutReplaced: false,
  stdoutBeyond: '',
  stderr: '',
  stderrTruncated: false,
  stderrReplaced: false,
  stderrBefore: '',
}

interface Program {
  readonly asked: () => boolean
  readonly end: (end: Partial<CommandEnd>) => void
}

async function commandRun() {
  const world = new World()
  const programs: Program[] = []
  const processes = {
    run: (_command: unknown, signal: AbortSignal) =>
      new Promise<CommandEnd>((resolve) => {
        programs.push({ asked: () => signal.aborted, end: (end) => resolve({ ...ENDED, ...end }) })
      }),
  }
  const handlers = stepHandlers({ functions: {}, egress: NO_EGRESS, processes })
  const process: Process = world.process('p', { services: { handlers } })
  const run = await process.start(
    'steps: [{ id: a, timeoutMs: 1000, retry: { maxAttempts: 2, initialBackoffMs: 1 }, command: { argv: [x] } }]',
  )
  return { world, run, programs }
}

it('the next attempt of a command starts when the old program is gone, not before [RTY-06, RTY-07]', async () => {
  const { world, run, programs } = await commandRun()
  await world.advanceBy(1000)
  expect(programs[0]?.asked()).toBe(true)
  await world.advanceBy(4900)
  expect([programs.length, world.log(run, 'StepFailed')]).toEqual([1, []])
  programs[0]?.end({ signal: 'SIGKILL' })
  await world.advanceBy(10)
  const failed = world.records(run).find((one) => one.eventType === 'StepFailed')
  expect(failed?.payload).toMatchObject({ error: { code: 'TIMEOUT', errorClass: 'timeout' }, final: false })
  expect(programs).toHaveLength(2)
  programs[1]?.end({ exitCode: 0, signal: null, stdout: 'done' })
  await world.runUntil(() => world.hasEnded(run))
  expect(world.row(run).status).toBe('COMPLETED')
})

it('what a program still finishes after its time is up is too late [RTY-07]', async () => {
  const { world, run, programs } = await commandRun()
  await world.advanceBy(2000)
  programs[0]?.end({ exitCode: 0, signal: null, stdout: 'late' })
  await world.advanceBy(10)
  expect(world.log(run, 'StepCompleted', 'StepFailed')).toEqual(['StepFailed a#1'])
})

it('a function in a process of its own keeps its attempt open until that is killed and gone [RTY-06, CAN-01]', async () => {
  const world = new World()
  const hosts: { readonly events: HostEvents; killed: boolean }[] = []
  const host = (_entry: URL, events: HostEvents) => {
    const one = { events, killed: false }
    hosts.push(one)
    return { send: () => undefined, kill: () => void (one.killed = true) }
  }
  const inner = stepHandlers({ functions: { f: () => null }, egress: NO_EGRESS })
  const timers = world.time.timers(() => true)
  const handlers = isolatedHandlers(inner, { module: '/steps.ts', hosts: { thread: host, process: host }, timers })
  const process = world.process('p', { services: { handlers } })
  const run = await process.start(
    'steps: [{ id: a, run: f, isolation: process, timeoutMs: 1000, retry: { maxAttempts: 2, initialBackoffMs: 1 } }]',
  )
  await world.advanceBy(5999)
  expect([hosts.length, hosts[0]?.killed]).toEqual([1, false])
  await world.advanceBy(1)
  expect([hosts.length, hosts[0]?.killed, world.log(run, 'StepFailed')]).toEqual([1, true, []])
  hosts[0]?.events.gone('SIGKILL')
  await world.advanceBy(10)
  expect(world.records(run).find((one) => one.eventType === 'StepFailed')?.payload).toMatchObject({
    error: { code: 'TIMEOUT' },
  })
  expect(hosts).toHaveLength(2)
})
