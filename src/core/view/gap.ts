/**
 * Finding jumps in fetched numbers. A gap is remembered by its range, so that one which stays for good is handled once
 * and never again.
 */
import type { ForeignRecord } from '../events/event.ts'
import { detectNonContiguous, inOrder } from './project-run.ts'

export interface Gap {
  /** The number seen before the jump, and the one seen after it. */
  readonly after: number
  readonly before: number
}

export interface Scan {
  /** New records up to the first gap that is not remembered, in order. */
  readonly clean: readonly ForeignRecord[]
  readonly gap: Gap | undefined
  /** The highest number of the page. */
  readonly upper: number
}

export function scanPage(watermark: number, page: readonly ForeignRecord[], remembered: readonly Gap[]): Scan {
  const fresh = inOrder(page).filter((record) => record.runSeq > watermark)
  const upper = fresh.at(-1)?.runSeq ?? watermark
  let last = watermark
  for (const [index, { runSeq }] of fresh.entries()) {
    const gap = { after: last, before: runSeq }
    if (detectNonContiguous(last, runSeq).observedNonContiguous && !isRemembered(remembered, gap)) {
      return { clean: fresh.slice(0, index), gap, upper }
    }
    last = runSeq
  }
  return { clean: fresh, gap: undefined, upper }
}

/** Every jump among these numbers. */
export function gapsIn(records: readonly ForeignRecord[]): readonly Gap[] {
  const ordered = inOrder(records)
  return ordered.flatMap(({ runSeq }, index) => {
    const after = ordered[index - 1]?.runSeq ?? runSeq
    return detectNonContiguous(after, runSeq).observedNonContiguous ? [{ after, before: runSeq }] : []
  })
}

export function isRemembered(gaps: readonly Gap[], gap: Gap): boolean {
  return gaps.some((one) => one.after === gap.after && one.before === gap.before)
}
