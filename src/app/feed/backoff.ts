/**
 * How long a failed delivery waits before the next try: twice as long each time, with jitter, up to a maximum (BUS-06).
 */
import type { Random } from '../../ports/random.ts'

export interface DeliveryBackoff {
  readonly initialMs: number
  readonly maxMs: number
}

export const DELIVERY_BACKOFF: DeliveryBackoff = { initialMs: 1_000, maxMs: 5 * 60_000 }

const FACTOR = 2
const RANDOM_STEPS = 0xffff_ffff

/** `failures` so far, from 1. Between half and all of min(initial × 2^(failures − 1), max). */
export function deliveryDelayMs(failures: number, random: Random, backoff: DeliveryBackoff = DELIVERY_BACKOFF): number {
  const whole = Math.min(backoff.initialMs * FACTOR ** Math.max(0, failures - 1), backoff.maxMs)
  const bytes = random.bytes(4)
  const share = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0) / RANDOM_STEPS
  return Math.round(whole * (0.5 + share / 2))
}
