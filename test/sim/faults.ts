/**
 * The menu of faults and who chooses from it. Every store call and every effect launched is a numbered point; a source
 * says what goes wrong there, by rates while exploring or by an exact list while replaying and shrinking.
 */
import type { Rng } from './random.ts'

export const FAULT_KINDS = [
  'fail',
  'lost-answer',
  'delay',
  'crash-before',
  'crash-after',
  'stall',
  'duplicate',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

export interface Fault {
  readonly kind: FaultKind
  /** How long a delay or a stall lasts, or how much later the duplicate comes. */
  readonly ms: number
}

export interface FiredFault extends Fault {
  readonly point: number
}

/** Probability of each fault per point. */
export type FaultRates = Readonly<Record<FaultKind, number>>

export const NO_FAULTS: FaultRates = {
  fail: 0,
  'lost-answer': 0,
  delay: 0,
  'crash-before': 0,
  'crash-after': 0,
  stall: 0,
  duplicate: 0,
}

export type PointKind = 'store' | 'effect'

const pointOf = (kind: FaultKind): PointKind => (kind === 'duplicate' ? 'effect' : 'store')

export class FaultSource {
  readonly #choose: (point: number, kind: PointKind) => Fault | undefined
  readonly fired: FiredFault[] = []
  /** Points passed so far: store calls, and effects launched. */
  readonly points: Record<PointKind, number> = { store: 0, effect: 0 }
  healed = false

  private constructor(choose: (point: number, kind: PointKind) => Fault | undefined) {
    this.#choose = choose
  }

  static byRates(rates: FaultRates, rng: Rng, longestMs: number): FaultSource {
    const calm = FAULT_KINDS.every((kind) => rates[kind] === 0)
    return new FaultSource((_point, at) => {
      if (calm) return undefined
      let left = rng.next()
      const ms = rng.int(1, rng.chance(0.2) ? longestMs : 400)
      for (const kind of FAULT_KINDS) {
        if (pointOf(kind) !== at) continue
        left -= rates[kind]
        if (left < 0) return { kind, ms: kind === 'stall' ? longestMs + ms : ms }
      }
      return undefined
    })
  }

  static exactly(faults: readonly FiredFault[]): FaultSource {
    const byPoint = new Map(faults.map((fault) => [`${pointOf(fault.kind)} ${fault.point}`, fault]))
    return new FaultSource((point, kind) => byPoint.get(`${kind} ${point}`))
  }

  /** What goes wrong at this point; nothing after the world has healed. */
  take(kind: PointKind): Fault | undefined {
    const point = this.points[kind]
    this.points[kind] += 1
    const fault = this.healed ? undefined : this.#choose(point, kind)
    if (fault !== undefined) this.fired.push({ ...fault, point })
    return fault
  }
}
