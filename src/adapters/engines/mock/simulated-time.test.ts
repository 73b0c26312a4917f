/** Time that nobody waits for, except for real code. */
import { expect, it } from 'vitest'
import type { ActionCall, StepHandlers } from '../../../ports/step-handlers.ts'
import { SimulatedTime } from './simulated-time.ts'

const HOUR_MS = 3_600_000

it('alarms ring in the order of their instants, then of their making, and cancelled ones never', async () => {
  const time = new SimulatedTime(0)
  const rung: string[] = []
  const note = (name: string) => (): void => void rung.push(`${name}@${time.now()}`)
  await new Promise<void>((resolve) => {
    time.after(2 * HOUR_MS, note('late'))
    time.after(HOUR_MS, note('first'))
    time.after(HOUR_MS, note('second'))
    time.after(HOUR_MS, note('never'))()
    time.after(Infinity, note('nor this'))
    time.after(3 * HOUR_MS, resolve)
  })
  expect(rung).toEqual([`first@${HOUR_MS}`, `second@${HOUR_MS}`, `late@${2 * HOUR_MS}`])
  expect(time.now()).toBe(3 * HOUR_MS)
})

it('what is deferred and what promises bring about happens before time moves on', async () => {
  const time = new SimulatedTime(0)
  const seen: number[] = []
  await new Promise<void>((resolve) => {
    time.after(HOUR_MS, resolve)
    time.defer(() => {
      queueMicrotask(() => {
        seen.push(time.now())
        time.defer(() => seen.push(time.now()))
      })
    })
  })
  expect(seen).toEqual([0, 0])
})

it('time stands still while it is held, and the bell rings before it moves on', async () => {
  const time = new SimulatedTime(0)
  const rung: number[] = []
  time.onQuiet(() => rung.push(time.now()))
  const release = time.hold()
  let isOver = false
  const over = new Promise<void>((resolve) => {
    time.after(HOUR_MS, () => {
      isOver = true
      resolve()
    })
  })
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect([isOver, time.now(), rung]).toEqual([false, 0, []])
  release()
  await over
  expect(rung[0]).toBe(0)
  expect(time.now()).toBe(HOUR_MS)
})

it('while real code is at work no alarm rings before its time by the real clock', async () => {
  const time = new SimulatedTime(0)
  let finish: (value: string) => void = () => undefined
  const real: StepHandlers = { missing: () => [], call: () => new Promise((resolve) => (finish = resolve)) }
  const called = time.inRealTime(real).call({} as ActionCall)
  const rung: string[] = []
  const soon = new Promise<void>((resolve) => {
    time.after(20, () => {
      rung.push('soon')
      resolve()
    })
  })
  const late = new Promise<void>((resolve) => {
    time.after(HOUR_MS, () => {
      rung.push('late')
      resolve()
    })
  })
  const began = performance.now()
  await soon
  expect(performance.now() - began).toBeGreaterThan(15)
  expect(rung).toEqual(['soon'])
  finish('done')
  expect(await called).toBe('done')
  await late
  expect(time.now()).toBeGreaterThanOrEqual(HOUR_MS)
})
