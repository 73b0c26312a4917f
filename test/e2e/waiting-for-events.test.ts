/** An event that is sent again, after the wait that it ended; `guides.test.ts` types the guide about events itself. */
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { folderWith, keelson } from './command.ts'

beforeAll(ensureBuilt)

it('an event counts once on the command line, and another under its id is refused [P-54]', async () => {
  const folder = folderWith({
    'plan.yaml': 'plan: order\nversion: 1.0.0\nsteps: [{ id: paid, wait: { forEvent: order.paid, key: A-17 } }]\n',
  })
  const send = (amount: number) =>
    keelson(['send', 'order.paid', '--key', 'A-17', '--data', `{"amount":${amount}}`, '--id', 'payment-4711'], folder)
  await keelson(['run', 'plan.yaml', '--queue'], folder)
  expect((await send(12)).stdout).toContain('order.paid sent to 0 waiting runs; kept for 7 d')
  expect((await keelson(['run', 'plan.yaml'], folder)).code).toBe(0)
  expect((await send(12)).stdout).toContain('it counts once')
  const other = await send(13)
  expect([other.code, other.stderr.split('  ')[0]]).toEqual([2, 'EVENT_DUPLICATE'])
})
