/**
 * Who sent a delivery, by its signature over the bytes that came: as Standard Webhooks, GitHub or Stripe sign. Compared in constant time;
 * where the scheme has a time, it is at most five minutes away.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../core/limits.ts'
import { standardMac } from '../alerts/standard-webhook.ts'

export type Scheme = 'standard-webhooks' | 'github' | 'stripe'

export interface Delivery {
  readonly bytes: Uint8Array
  /** What the bytes say, read when it is asked for: of strangers nothing is read. Fails where they are not JSON. */
  readonly body: () => unknown
  /** One header by its name in lower case. */
  readonly header: (name: string) => string | undefined
}

/** `why`: for the owner of the trigger, never for the sender. */
export type Judged =
  | { readonly kind: 'genuine'; readonly deliveryId: string }
  | { readonly kind: 'refused'; readonly why: string; readonly deliveryId?: string }

export function judge(scheme: Scheme, secret: string, delivery: Delivery, now: number): Judged {
  switch (scheme) {
    case 'standard-webhooks':
      return byStandardWebhooks(secret, delivery, now)
    case 'github':
      return byGithub(secret, delivery)
    case 'stripe':
      return byStripe(secret, delivery, now)
    default: {
      const never: never = scheme
      return never
    }
  }
}

function refused(why: string, deliveryId?: string): Judged {
  return { kind: 'refused', why, ...(deliveryId === undefined ? {} : { deliveryId: deliveryId.slice(0, 255) }) }
}

function byStandardWebhooks(secret: string, { bytes, header }: Delivery, now: number): Judged {
  const [id, time, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header)
  if (id === undefined || time === undefined || given === undefined)
    return refused('it lacks webhook-id, webhook-timestamp or webhook-signature')
  if (!isNow(time, now)) return refused('its time is more than five minutes away', id)
  const made = standardMac(secret, { id, seconds: time }, bytes)
  const signatures = given
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3), 'base64')] : []))
  return named(signatures, made, () => id, id)
}

function byGithub(secret: string, { bytes, header }: Delivery): Judged {
  const [id, given] = ['x-github-delivery', 'x-hub-signature-256'].map(header)
  if (id === undefined || given === undefined) return refused('it lacks X-GitHub-Delivery or X-Hub-Signature-256')
  const made = createHmac('sha256', secret).update(bytes).digest()
  return named([Buffer.from(given.replace(/^sha256=/, ''), 'hex')], made, () => id, id)
}

function byStripe(secret: string, { bytes, body, header }: Delivery, now: number): Judged {
  const fields = (header('stripe-signature') ?? '').split(',').map((part) => part.trim().split('='))
  const time = fields.find(([name]) => name === 't')?.[1]
  if (time === undefined) return refused('it lacks Stripe-Signature')
  if (!isNow(time, now)) return refused('its time is more than five minutes away')
  const made = createHmac('sha256', secret).update(`${time}.`).update(bytes).digest()
  const signatures = fields.flatMap(([name, value = '']) => (name === 'v1' ? [Buffer.from(value, 'hex')] : []))
  // Of a stranger's body not even the id is read.
  return named(signatures, made, () => idIn(body))
}

function idIn(body: Delivery['body']): string {
  try {
    const id = (body() as { readonly id?: unknown } | null)?.id
    return typeof id === 'string' ? id : ''
  } catch {
    return ''
  }
}

/** `claimed`: the id that it gives outside its body. */
function named(given: readonly Uint8Array[], made: Uint8Array, idOf: () => string, claimed?: string): Judged {
  const isGenuine = given.filter((one) => one.length === made.length && timingSafeEqual(one, made)).length > 0
  if (!isGenuine) return refused('its signature does not fit the secret and the body', claimed)
  const id = idOf()
  return id === '' || id.length > 255
    ? refused('it has no id of 1 to 255 characters, so that a repeat would not be known')
    : { kind: 'genuine', deliveryId: id }
}

function isNow(seconds: string, now: number): boolean {
  return /^[0-9]{1,12}$/.test(seconds) && Math.abs(Number(seconds) * 1_000 - now) <= LIMITS.deliverySkewMs
}
