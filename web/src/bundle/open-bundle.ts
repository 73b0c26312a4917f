/** Opens a bundle from a file: reads its lines, proves them, and makes of its events a run as the page shows any other. */
import { viewOf } from '../../../src/core/events/event-views.ts'
import { stepSlotOf } from '../../../src/core/events/slot-of.ts'
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import { executionWord } from '../../../src/core/view/fold/vocabulary.ts'
import type { LoadedRun } from '../history/load-run.ts'
import type { RunHistory } from '../history/run-history.ts'
import { BundleOpening } from './bundle-opening.ts'
import { eventIn, linesOf } from './file-lines.ts'

export interface BundleProof {
  readonly lines: number
  /** runSeq of the last event that was proved, and its chainHash. */
  readonly verifiedTo: number
  readonly headHash: string
  readonly hasPlan: boolean
  readonly isPlanOfLog: boolean
  readonly values: number
  /** They are in the file, and are not checked here. */
  readonly receipts: number
  readonly erased: readonly number[]
  readonly missing: readonly number[]
  /** The first place that does not fit; nothing from there on is shown. */
  readonly broken?: BundleBreak
}

export interface BundleBreak {
  /** Absent where no single event is at fault. */
  readonly runSeq?: number | undefined
  readonly what: string
}

export interface OpenedBundle {
  /** Absent where not even the first event could be proved. */
  readonly run?: LoadedRun
  readonly proof: BundleProof
}

export async function openBundle(
  file: Blob,
  told: (lines: number) => void,
  signal: AbortSignal,
): Promise<OpenedBundle> {
  const opening = new BundleOpening()
  const broken = await readTo(opening, file, told, signal)
  const { history, chain } = opening
  const proof = {
    lines: opening.lines,
    verifiedTo: history?.lastSeq ?? 0,
    headHash: history?.recordAt(history.lastSeq)?.chainHash ?? '',
    hasPlan: history?.graph !== undefined,
    isPlanOfLog: opening.isPlanOfLog,
    values: opening.values.size,
    receipts: opening.receipts,
    erased: chain.erased,
    missing: chain.missing,
    ...(broken === undefined ? {} : { broken }),
  }
  return history === undefined ? { proof } : { run: runOf(opening, history), proof }
}

/** Where it breaks; undefined: nowhere. */
async function readTo(
  opening: BundleOpening,
  file: Blob,
  told: (lines: number) => void,
  signal: AbortSignal,
): Promise<BundleBreak | undefined> {
  let line = ''
  try {
    for await (const lines of linesOf(file)) {
      signal.throwIfAborted()
      for (line of lines) opening.take(line)
      told(opening.lines)
    }
    line = ''
    opening.end()
    return undefined
  } catch (thrown) {
    if (signal.aborted) throw thrown
    const what = thrown instanceof KeelsonError ? thrown.problems[0].message : `it cannot be read: ${String(thrown)}`
    return { what, runSeq: eventIn(line) }
  }
}

/** What the log says of the run; of the row in the file only what nothing depends on. */
function runOf({ run, values }: BundleOpening, history: RunHistory): LoadedRun {
  const { status, substatus, startedAt } = history.snapshotAt(history.lastSeq)
  const [first] = history.records
  const last = history.recordAt(history.lastSeq)
  const by = history.records.find(({ eventType }) => eventType === 'RunStarted')?.payload?.['context']
  const triggeredBy = (by as { readonly triggeredBy?: unknown } | undefined)?.triggeredBy
  const execution = {
    executionId: history.runId,
    status,
    state: executionWord({ status, ...(substatus === undefined ? {} : { substatus }) }),
    planId: first?.planId ?? '',
    planVersion: first?.planVersion ?? '',
    planSha256: String(run['planSha256']),
    createdAt: startedAt ?? first?.emittedAt ?? '',
    updatedAt: last?.emittedAt ?? '',
    lastEventSeq: history.lastSeq,
    engine: String(run['engineType']),
    ...(typeof triggeredBy === 'string' ? { triggeredBy } : {}),
    links: { self: '', events: '', stream: '', journal: '', snapshot: '', why: '' },
  }
  const file = { outputOf: (slot: string, seq: number) => outputIn(history, values, slot, seq) }
  return { execution, history, isWhole: true, hasEnded: true, isStale: false, file }
}

/** What the step had given back by then, as its end recorded it or as a value beside the log. */
function outputIn(history: RunHistory, values: ReadonlyMap<string, string>, slot: string, seq: number): unknown {
  const end = history.records.findLast(
    (record) => record.runSeq <= seq && record.eventType === 'StepCompleted' && stepSlotOf(record) === slot,
  )
  if (end === undefined) return undefined
  const { result, resultRef } = viewOf(end).payload
  const sha256 = (resultRef as { readonly sha256?: unknown } | undefined)?.sha256
  const text = typeof sha256 === 'string' ? values.get(sha256) : undefined
  return text === undefined ? result : (JSON.parse(text) as unknown)
}
