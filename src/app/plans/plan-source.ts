/**
 * Where a plan comes from. The bytes that it is made of, before they are read: their hash is what a reference to them says.
 * And whether this process compiled it: what only looks compiled may have been made by anybody, and a compiled plan is believed.
 */
import type { PlanSource } from '../../core/run/input.ts'
import { sha256Hex } from '../log/sha256.ts'

const COMPILED = new WeakSet()

/** A text is hashed in UTF-8. */
export function sourceOf(bytes: string | Uint8Array): PlanSource {
  return { sha256: sha256Hex(bytes), sizeBytes: Buffer.byteLength(bytes) }
}

/** A plan in its canonical form is its own source. */
export function madeOf<P extends { readonly sha256: string; readonly source?: PlanSource }>(
  compiled: P,
  source: PlanSource,
): P {
  const { source: _before, ...plan } = compiled
  const made = (source.sha256 === plan.sha256 ? plan : { ...plan, source }) as P
  return isVouched(compiled) ? vouch(made) : made
}

export function vouch<P extends object>(compiled: P): P {
  COMPILED.add(compiled)
  return compiled
}

export function isVouched(compiled: object): boolean {
  return COMPILED.has(compiled)
}
