/**
 * Finds jumps in fetched numbers. Nothing has to remember a handled gap: the watermark has passed it, so a permanent
 * gap is met only once.
 */
import type { LogRecord } from '../../events/event.ts'
import { runAlert, type ViewAlert } from '../fold/view-alert.ts'
import { detectNonContiguous, inOrder } from './project-run.ts'

export interface Gap {
  /** The number before the jump, and the one after it. */
  readonly after: number
  readonly before: number
}

export interface Scan {
  /** New records up to the first gap, in order. */
  readonly clean: readonly LogRecord[]
  readonly gap: Gap | undefined
  /** The highest number of the page. */
  readonly upper: number
}

export function scanPage(watermark: number, page: readonly LogRecord[]): Scan {
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

/** It means a delay, never a loss (PRJ-17). */
export function gapAlert(run: Parameters<typeof runAlert>[0], { after, before }: Gap): ViewAlert {
  const detail = `After number ${after} came ${before}: events are late, or the numbers between were never used.`
  return runAlert(run, 'PROJECTOR_NON_CONTIGUOUS_FETCH_DETECTED', `${after}-${before}`, detail)
}
