/** An irreversible request whose connection broke: tried again only when it surely never left (P-28). */
import { expect, it } from 'vitest'
import { openDoor, type DoorParts } from '../../src/adapters/egress/door.ts'
import { NetworkError } from '../../src/adapters/egress/failures.ts'
import { stepHandlers } from '../../src/adapters/handlers/step-handlers.ts'
import { egressPolicy } from '../../src/core/egress/policy.ts'
import type { Egress } from '../../src/ports/egress.ts'
import { World } from '../fixtures/virtual-world.ts'

const pay = (effect: string): string => `policy: { onFailure: failFast, retry: { maxAttempts: 3 } }
steps: [{ id: pay, effect: ${effect}, http: { url: 'http://bank.example/pay' }, fallback: { run: other }, fallbackOn: [exhausted, permanent] }]`

async function broken(plan: string, wasSent: boolean) {
  const world = new World()
  const asked: string[] = []
  const egress: Egress = {
    send: async ({ url }) => {
      asked.push(url)
      throw new NetworkError('the connection broke', 'ECONNRESET', { mayHaveHappened: wasSent })
    },
  }
  const handlers = stepHandlers({ functions: { other: () => asked.push('other') }, egress })
  const process = world.process('p', { services: { handlers } })
  const run = await process.start(plan)
  await world.advanceBy(3_600_000)
  const errors = world.records(run).filter((one) => one.eventType === 'StepFailed')
  return { world, process, run, asked, errors }
}

it('is INDETERMINATE when the request had left: asked once, no fallback, and the run is held [P-28]', async () => {
  const { world, run, asked, errors } = await broken(pay('irreversible'), true)
  expect(asked).toHaveLength(1)
  expect(errors).toMatchObject([
    {
      payload: { error: { code: 'INDETERMINATE' }, final: true },
      data: { errorText: { message: 'the connection broke' } },
    },
  ])
  expect(world.row(run)).toMatchObject({ status: 'RUNNING', substatus: 'embedded/HOLDING' })
})

it('is tried again when the request never left [P-28, RTY-03]', async () => {
  const { world, run, asked, errors } = await broken(pay('irreversible'), false)
  expect(asked).toEqual([...Array<string>(3).fill('http://bank.example/pay'), 'other'])
  expect(errors[0]?.payload).toMatchObject({ error: { code: 'ECONNRESET', errorClass: 'transport' }, final: false })
  expect(world.row(run).status).toBe('COMPLETED')
})

/** A world whose door out is ours and whose network is the test's. */
async function through(network: Pick<DoorParts, 'resolve' | 'connect'>) {
  const policy = egressPolicy([])
  if (!policy.ok) throw new Error('the policy of the test is wrong')
  const world = new World()
  const egress = openDoor({ policy: policy.value, timers: world.time.timers(() => true), ...network })
  const handlers = stepHandlers({ functions: { other: () => 'paid by other means' }, egress })
  const run = await world.process('p', { services: { handlers } }).start(pay('irreversible'))
  await world.advanceBy(3_600_000)
  const errors = world.records(run).filter((one) => one.eventType === 'StepFailed')
  return { row: world.row(run), errors: errors.map(({ payload }) => payload) }
}

it('is tried again when no connection could be made in time: nothing of the request left [P-28, RTY-03]', async () => {
  let looked = 0
  const { row, errors } = await through({
    resolve: () => {
      looked += 1
      return new Promise(() => undefined)
    },
  })
  expect(looked).toBe(3)
  expect(errors).toMatchObject([
    { error: { code: 'ETIMEDOUT', errorClass: 'transport', retryable: true }, final: false },
    { error: { errorClass: 'transport' }, final: false },
    { error: { errorClass: 'transport' }, final: true, fallback: true },
  ])
  expect(row.status).toBe('COMPLETED')
})

it('is INDETERMINATE when the request had left and nobody answered in time [P-28]', async () => {
  let sent = 0
  const { row, errors } = await through({
    resolve: async () => ['93.184.216.34'],
    connect: ({ onConnected, onSending, signal }) => {
      sent += 1
      onConnected()
      onSending()
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    },
  })
  expect(sent).toBe(1)
  expect(errors).toMatchObject([{ error: { code: 'INDETERMINATE' }, final: true }])
  expect(row).toMatchObject({ status: 'RUNNING', substatus: 'embedded/HOLDING' })
})

it('of a step that may be repeated is tried again either way [RTY-03]', async () => {
  for (const wasSent of [true, false]) expect((await broken(pay('idempotent'), wasSent)).asked).toHaveLength(4)
})
