/** An irreversible request whose connection broke: tried again only when it surely never left (P-28). */
import { expect, it } from 'vitest'
import { NetworkError } from '../../src/adapters/egress/failures.ts'
import { stepHandlers } from '../../src/adapters/handlers/step-handlers.ts'
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

it('of a step that may be repeated is tried again either way [RTY-03]', async () => {
  for (const wasSent of [true, false]) expect((await broken(pay('idempotent'), wasSent)).asked).toHaveLength(4)
})
