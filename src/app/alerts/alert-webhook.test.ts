/** Alerts on their way to an address: where it may lie, how often they are tried, and what is told when they do not arrive. */
import { expect, it } from 'vitest'
import { openDoor } from '../../adapters/egress/door.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { systemTimers } from '../../adapters/system/timers.ts'
import type { Alert } from '../../core/alerts/catalogue.ts'
import { egressPolicy } from '../../core/egress/policy.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Problem } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import type { Timers } from '../../ports/timers.ts'
import { loopback } from '../../../test/fixtures/loopback.ts'
import { until } from '../../../test/fixtures/until.ts'
import { AlertWebhook } from './alert-webhook.ts'

const ALERT: Alert = { alertId: 'a:1', code: 'RUN_TIMEOUT', priority: 'P2', tenantId: 'acme', detail: 'late' }
/** What is to happen later happens at once; the limit of a try stays as it is. */
const HASTY: Pick<Timers, 'after'> = {
  after: (ms, work) => systemTimers.after(ms === LIMITS.alertSendMs ? ms : 0, work),
}

function webhook(url: string, allow: readonly string[]): { readonly told: Problem[]; readonly sent: AlertWebhook } {
  const told: Problem[] = []
  const egress = openDoor({ policy: unwrap(egressPolicy(allow)), timers: systemTimers })
  const world = { clock: { now: Date.now }, timers: HASTY, random: systemRandom }
  return { told, sent: new AlertWebhook({ egress, ...world, url, secret: 'c2VjcmV0', tell: (one) => told.push(one) }) }
}

it('goes through the one door: a private address that is not named is refused, and that is told at once', async () => {
  const receiver = await loopback((_asked, response) => response.end())
  const { told, sent } = webhook(receiver.url, [])
  sent.send(ALERT)
  await until(() => told.length > 0)
  expect(told).toMatchObject([{ code: 'ALERT_NOT_DELIVERED' }])
  expect(told[0]?.message).toContain('this machine itself')
  expect(receiver.asked).toEqual([])
})

it('is tried eight times and then told as not delivered; 410 ends it at once', async () => {
  const receiver = await loopback(({ url }, response) => response.writeHead(url === '/gone' ? 410 : 500).end())
  const failing = webhook(receiver.url, ['127.0.0.1'])
  failing.sent.send(ALERT)
  await until(() => failing.told.length > 0)
  expect(receiver.asked).toHaveLength(8)
  expect(new Set(receiver.asked.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['a:1']))
  expect(failing.told[0]?.message).toContain('it answered 500')
  const gone = webhook(`${receiver.url}/gone`, ['127.0.0.1'])
  gone.sent.send(ALERT)
  await until(() => gone.told.length > 0)
  expect(receiver.asked).toHaveLength(9)
})

it('what waits for another try when the process ends is told as not delivered', async () => {
  const receiver = await loopback((_asked, response) => response.writeHead(503).end())
  const told: Problem[] = []
  const egress = openDoor({ policy: unwrap(egressPolicy(['127.0.0.1'])), timers: systemTimers })
  const parts = { egress, clock: { now: Date.now }, timers: systemTimers, random: systemRandom }
  const sent = new AlertWebhook({ ...parts, url: receiver.url, secret: 'c2VjcmV0', tell: (one) => told.push(one) })
  sent.send(ALERT)
  await sent.close()
  expect(told.map(({ message }) => message)).toEqual([
    `alert a:1 did not reach ${new URL(receiver.url).host}: the process ends`,
  ])
})
