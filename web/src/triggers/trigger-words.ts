/** What the senders that a trigger understands are called, and what each signs with. */
import type { AnswerOf, BodyOf } from '../../../src/core/api/contract.ts'
import type { getTrigger, updateTrigger } from '../../../src/core/api/triggers.ts'

export type Trigger = AnswerOf<typeof getTrigger>
export type TriggerBody = BodyOf<typeof updateTrigger>
export type Scheme = Trigger['scheme']

interface SchemeWords {
  readonly name: string
  readonly signs: string
}

export const SCHEMES: Readonly<Record<Scheme, SchemeWords>> = {
  'standard-webhooks': {
    name: 'Standard Webhooks',
    signs: 'webhook-id, webhook-timestamp and webhook-signature; its time may be five minutes away',
  },
  github: {
    name: 'GitHub',
    signs: 'X-Hub-Signature-256 and X-GitHub-Delivery; content type application/json',
  },
  stripe: { name: 'Stripe', signs: 'Stripe-Signature; its time may be five minutes away' },
}

export const SCHEME_NAMES = Object.keys(SCHEMES) as readonly Scheme[]

/** The whole address, for the settings of the sender. */
export function senderAddress({ deliverTo }: Pick<Trigger, 'deliverTo'>): string {
  return `${window.location.origin}${deliverTo}`
}
