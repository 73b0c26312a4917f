/** Ctrl-C while runs are followed: what the first does, what the second does. */
import { afterEach, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../../main.ts'
import { Doorbell, follow } from './follow.ts'
import type { Progress } from './progress.ts'
import { watchRun, type RunWatch } from './run-watch.ts'

let opened: Keelson | undefined
afterEach(() => opened?.close())

/** A run that waits for a person, followed by a command that never learns of its end. */
async function waitingRun(): Promise<{
  readonly watch: RunWatch<RunHandle>
  readonly notes: string[]
  readonly progress: Progress
}> {
  opened = await openKeelson({ directory: ':memory:' })
  const handle = await opened.start(loadPlan('plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, manual: { title: A } }\n'))
  const real = await watchRun(handle)
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

/** Only the listener that `follow` added receives it; the test runner has its own. */
function interruptor(): () => void {
  const before = new Set(process.listeners('SIGINT'))
  return () => {
    for (const listener of process.listeners('SIGINT')) if (!before.has(listener)) listener('SIGINT')
  }
}

/** With a step at work that ends when the test says so. */
async function workingRun(): Promise<Awaited<ReturnType<typeof waitingRun>> & { readonly finish: () => void }> {
  const work = Promise.withResolvers<number>()
  opened = await openKeelson({ directory: ':memory:', steps: { work: () => work.promise } })
  const plan = 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: work }\n  - { id: b, run: work }\n'
  const handle = await opened.start(loadPlan(plan))
  const watch = await watchRun(handle)
  await watch.pump()
  const notes: string[] = []
  const nothing = (): void => undefined
  const note = (text: string): void => void notes.push(text)
  const progress = { begin: nothing, update: nothing, tick: nothing, end: nothing, note }
  return { watch, notes, progress, finish: () => work.resolve(1) }
}

const types = async ({ handle }: RunWatch): Promise<readonly string[]> =>
  (await handle.records()).map(({ eventType, stepId }) => (stepId === undefined ? eventType : `${eventType} ${stepId}`))

it('the first lets what runs end and starts nothing new, then leaves; no listener stays behind', async () => {
  const { watch, notes, progress, finish } = await workingRun()
  const before = process.listenerCount('SIGINT')
  const interrupt = interruptor()
  const followed = follow({ watches: [watch], progress, doorbell: new Doorbell(), second: 'cancel' })
  interrupt()
  expect(notes).toEqual(['stopping: nothing new starts, what runs has 5 s; Ctrl-C again cancels'])
  setTimeout(finish, 50)
  expect(await followed).toBe('left')
  const log = await types(watch)
  expect(log.slice(-3)).toEqual(['SignalAccepted', 'RunPaused', 'StepCompleted a'])
  expect(log).not.toContain('StepStarted b')
  expect(process.listenerCount('SIGINT')).toBe(before)
})

it('the second cancels, the third leaves a run that does not end', async () => {
  const { watch, notes, progress } = await workingRun()
  const interrupt = interruptor()
  const deaf = { ...watch, ended: false }
  const followed = follow({ watches: [deaf], progress, doorbell: new Doorbell(), second: 'cancel' })
  interrupt()
  interrupt()
  expect(notes.at(-1)).toBe('cancelling, steps have 5 s to stop; Ctrl-C again leaves the run for later')
  await watch.handle.result()
  interrupt()
  expect(await followed).toBe('left')
  expect((await types(watch)).at(-1)).toBe('RunCancelled')
})

it('of several runs, the second leaves them at once', async () => {
  const { watch, notes, progress } = await workingRun()
  const interrupt = interruptor()
  const followed = follow({ watches: [watch], progress, doorbell: new Doorbell(), second: 'leave' })
  interrupt()
  expect(notes).toEqual(['stopping: nothing new starts, what runs has 5 s; Ctrl-C again leaves at once'])
  interrupt()
  expect(await followed).toBe('left')
})

it('a run with nothing at work is left at once, without a pause', async () => {
  const { watch, notes, progress } = await waitingRun()
  const interrupt = interruptor()
  const followed = follow({ watches: [watch], progress, doorbell: new Doorbell(), second: 'cancel' })
  interrupt()
  expect(await followed).toBe('left')
  expect(notes).toEqual([])
  expect(await types(watch)).not.toContain('SignalAccepted')
})
