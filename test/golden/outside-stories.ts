/** Stories of rules version 6: a run is given up and undone (ADR 0011), and steps wait for events from outside (ADR 0012). */
import { failing } from './stories.ts'
import type { Story } from './stage.ts'

const undone = (id: string, run = 'f'): string => `{ id: ${id}, run: ${run}, compensate: { run: un${id} } }`
const CHARGED = `steps: [${undone('reserve')}, ${undone('charge')}, { id: ship, run: slow }]`
const HOLD = { slow: 'hold' } as const

const undoing: readonly Story[] = [
  {
    name: 'cancel-and-undo',
    plan: CHARGED,
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('CANCEL', { undo: true, reason: 'wrong order' })
      await stage.signal('CANCEL', { undo: true })
      await stage.end()
      stage.calls('slow')[0]?.resolve('too late')
      await stage.wait(100)
    },
  },
  {
    name: 'cancel-and-undo-while-paused-and-a-compensation-fails',
    plan: `policy: { onFailure: hold, retry: { maxAttempts: 2, initialBackoffMs: 100 } }\n${CHARGED}`,
    script: { ...HOLD, uncharge: failing('the bank is closed') },
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('PAUSE')
      stage.calls('slow')[0]?.resolve('shipped')
      await stage.signal('CANCEL', { undo: true })
      await stage.end()
    },
  },
  {
    name: 'cancel-and-undo-by-two-processes',
    plan: CHARGED,
    script: { ...HOLD, uncharge: 'hold' },
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('CANCEL', { undo: true })
      await stage.called('uncharge')
      await stage.crash({})
      await stage.end()
    },
  },
  {
    name: 'cancel-and-undo-with-a-child',
    plan: `steps: [{ id: call, plan: { planId: child }, effect: compensatable }, { id: ship, run: slow }]`,
    others: [`plan: child\nversion: 1.0.0\nsteps: [${undone('book')}]`],
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('CANCEL', { undo: true })
      await stage.end()
    },
  },
  {
    name: 'emergency-stop-of-an-undoing-that-was-asked-for',
    plan: CHARGED,
    script: { ...HOLD, uncharge: 'hold' },
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('CANCEL', { undo: true })
      await stage.called('uncharge')
      await stage.signal('EMERGENCY_STOP', { reason: 'fire' })
      await stage.end()
    },
  },
]

const PAID = `{ id: paid, wait: { forEvent: order.paid, key: '\${input.orderId}', match: 'event.data.amount >= input.total' } }`
const ORDER = { orderId: 'A-17', total: 10 }

const events: readonly Story[] = [
  {
    name: 'event-while-it-is-waited-for',
    plan: `steps: [${PAID}, { id: ship, run: f, with: { got: '\${steps.paid.output}' } }]`,
    input: ORDER,
    act: async (stage) => {
      await stage.wait(500)
      await stage.send({ name: 'order.paid', key: 'A-17', id: 'too-little', data: { amount: 9 } })
      await stage.send({ name: 'order.paid', key: 'A-18', id: 'not-ours', data: { amount: 12 } })
      await stage.wait(500)
      await stage.send({ name: 'order.paid', key: 'A-17', id: 'enough', data: { amount: 12 } })
      await stage.end()
    },
  },
  {
    name: 'event-before-it-is-waited-for',
    plan: `steps: [{ id: ask, run: slow }, ${PAID}]`,
    input: ORDER,
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.send({ name: 'order.paid', key: 'A-17', id: 'early', data: { amount: 12 } })
      stage.calls('slow')[0]?.resolve('asked')
      await stage.end()
    },
  },
  {
    name: 'events-for-two-waits-of-a-run-through-a-crash',
    plan: `steps: [{ id: a, dependsOn: [], wait: { forEvent: e } }, { id: b, dependsOn: [], wait: { forEvent: e } }]`,
    act: async (stage) => {
      await stage.send({ name: 'e', id: 'one', data: 1 })
      await stage.crash()
      await stage.send({ name: 'e', id: 'one', data: 1 })
      await stage.send({ name: 'e', id: 'two', data: 2 })
      await stage.end()
    },
  },
  {
    name: 'event-that-does-not-come',
    plan: `steps: [{ id: a, wait: { forEvent: e, timeoutMs: 5000 }, fallback: { run: f } }, { id: b, wait: { forEvent: e, timeoutMs: 100 } }]`,
  },
]

export const OUTSIDE_STORIES: readonly Story[] = [...undoing, ...events]
