/**
 * Finding jumps in fetched numbers. Nothing has to remember a gap that was handled: the watermark has passed it, so one
 * that stays for good is met once and never again.
 */
import type { ForeignRecord } from '../events/event.ts'
import { detectNonContiguous, inOrder } from './project-run.ts'

export interface Gap {
  /** The number seen before the jump, and the one seen after it. */
  readonly after: number
  readonly before: number
}

export interface Scan {
  /** New records up to the first gap, in order. */
  readonly clean: readonly ForeignRecord[]
  readonly gap: Gap | undefined
  /** The highest number of the page. */
  readonly upper: number
}

export function scanPage(watermark: number, page: readonly ForeignRecord[]): Scan {
  const fresh = inOrder(page).filter((record) => record.runSeq > watermark)
  const upper = fresh.at(-1)?.runSeq ?? watermark
  let last = watermark
  for (const [index, { runSeq }] of fresh.entries()) {
    const gap = { after: last, before: runSeq }
    if (detectNonContiguous(last, runSeq).observedNonContiguous) {
      return { clean: fresh.slice(0, index), gap, upper }
    }
    last = runSeq
  }
  return { clean: fresh, gap: undefined, upper }
}
