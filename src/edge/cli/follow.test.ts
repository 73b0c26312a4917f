/** Ctrl-C while runs are followed: what the first does, what the second does. */
import { afterEach, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson } from '../../main.ts'
import { Doorbell, follow } from './follow.ts'
import type { Progress } from './output/progress.ts'
import { watchRun, type RunWatch } from './run-watch.ts'

let opened: Keelson | undefined
afterEach(() => opened?.close())

/** A run that waits for a person, followed by a command that never learns of its end. */
async function waitingRun(): Promise<{
  readonly watch: RunWatch
  readonly notes: string[]
  readonly progress: Progress
}> {
  opened = await openKeelson({ directory: ':memory:' })
  const handle = await opened.start(loadPlan('plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, manual: { title: A } }\n'))
  const real = await watchRun(opened, handle)
  const notes: string[] = []
  const nothing = (): void => undefined
  const progress = {
    begin: nothing,
    update: nothing,
    tick: nothing,
    end: nothing,
    note: (text: string) => notes.push(text),
  }
  return { watch: { ...real, ended: false, pump: async () => [] }, notes, progress }
}

/** Only the listener that `follow` added hears it; the test runner has its own. */
function interruptor(): () => void {
  const before = new Set(process.listeners('SIGINT'))
  return () => {
    for (const listener of process.listeners('SIGINT')) if (!before.has(listener)) listener('SIGINT')
  }
}

it('the first asks the run to cancel, the second leaves it, and no listener stays behind', async () => {
  const { watch, notes, progress } = await waitingRun()
  const before = process.listenerCount('SIGINT')
  const interrupt = interruptor()
  const followed = follow({ watches: [watch], progress, doorbell: new Doorbell(), interrupt: 'cancel' })
  interrupt()
  expect(notes).toEqual(['cancelling, steps have 5 s to stop; Ctrl-C again leaves the run for later'])
  expect((await watch.handle.result()).status).toBe('CANCELLED')
  interrupt()
  expect(await followed).toBe('left')
  expect(process.listenerCount('SIGINT')).toBe(before)
})

it('of runs that are not the command’s own, the first leaves them as they are', async () => {
  const { watch, notes, progress } = await waitingRun()
  const interrupt = interruptor()
  const followed = follow({ watches: [watch], progress, doorbell: new Doorbell(), interrupt: 'leave' })
  interrupt()
  expect(await followed).toBe('left')
  expect(notes).toEqual([])
  expect((await watch.handle.records()).map((one) => one.eventType)).not.toContain('SignalAccepted')
})
