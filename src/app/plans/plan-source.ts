/** The bytes that a plan is made of, before they are read: their hash is what a reference to them says. */
import type { PlanSource } from '../../core/run/input.ts'
import { sha256Hex } from '../log/sha256.ts'

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
  return (source.sha256 === plan.sha256 ? plan : { ...plan, source }) as P
}
