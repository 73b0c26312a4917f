/** The subscriptions that an open Keelson has: one for each name, and none after it is closed. */
import { mustFitNames } from '../../app/log/fitting.ts'
import { fleetSubscriber, tenantSubscriber } from '../../core/feed/subscriber.ts'
import { FUNCTION, needKind, needText } from '../../core/option-kinds.ts'
import { fail } from '../../core/problems/problem.ts'
import { deliveryAlert } from './alert-teller.ts'
import type { Parts } from '../parts.ts'
import { warnOfProblem } from './receipt-service.ts'
import { Subscription, type FeedHandler, type SubscribeOptions } from './subscription.ts'

export class Subscriptions {
  readonly #parts: Parts
  readonly #open = new Set<Subscription>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  open(name: string, handler: FeedHandler, options: SubscribeOptions): Subscription {
    const { services, moves, principal, alerts } = this.#parts
    mustFitNames({ name: needText('subscribe: the name', name) })
    needKind('subscribe: the handler', handler, FUNCTION)
    for (const one of this.#open) {
      if (one.isStopped) this.#open.delete(one)
      else if (one.name === name) fail('SUBSCRIBER_EXISTS', `'${name}' already has a subscription in this process`)
    }
    const subscriber = options.allTenants === true ? fleetSubscriber(name) : tenantSubscriber(principal.tenantId, name)
    const { onProblem = warnOfProblem } = options
    const subscription = new Subscription(services, subscriber, handler, {
      ...options,
      onProblem: (one) => {
        const alert = deliveryAlert(one, name)
        if (alert !== undefined) alerts?.alert(alert)
        onProblem(one)
      },
      onMove: (wake) => moves.listen(wake),
    })
    this.#open.add(subscription)
    return subscription
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#open].map((one) => one.stop()))
  }
}
