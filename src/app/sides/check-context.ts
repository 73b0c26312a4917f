/**
 * Compares the rows of captured variables with the log. They are the fold of its recorded captures (P-16), so a value that was
 * changed, added or removed only in the table is found. After an erasure there are no rows up to the erased event.
 */
import type { LogRecord, Payload } from '../../core/events/event.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { ContextWrite } from '../../ports/run-store.ts'
import { variableOf } from '../values/capture-output.ts'
import { altered, type EvidenceFinding } from './finding.ts'
import { contextRow, rowBlob } from '../values/offload.ts'
import { RecordedValues, type LogAtHand } from '../values/recorded-values.ts'
import { sameJson } from './same-json.ts'
import { sha256Hex } from '../log/sha256.ts'

export interface ContextReport {
  readonly findings: readonly EvidenceFinding[]
  /** Hashes of the values that rows name because they are too large. */
  readonly blobs: ReadonlySet<string>
}

interface Expected {
  readonly variable: string
  readonly seq: number
  /** Undefined when a value for the fold cannot be read; the missing value is reported elsewhere. */
  readonly value: string | undefined
}

/** `goneUpTo`: rows up to there were erased. */
export async function checkContext(
  log: LogAtHand,
  rows: readonly ContextWrite[],
  goneUpTo: number,
): Promise<ContextReport> {
  const findings: EvidenceFinding[] = []
  const blobs = new Set<string>()
  const left = new Map(rows.map((row) => [`${row.seq} ${row.variable}`, row]))
  if (left.size !== rows.length) findings.push(altered('the context has the same row twice'))
  for (const { variable, seq, value } of await expectedRows(log, goneUpTo)) {
    const row = left.get(`${seq} ${variable}`)
    left.delete(`${seq} ${variable}`)
    const blob = value === undefined ? undefined : rowBlob(value)
    if (blob !== undefined) blobs.add(blob)
    const wrong = row === undefined ? 'is missing' : (wrongValue(row, value) ?? (await wrongBlob(log, blob)))
    if (wrong !== undefined) findings.push(altered(`the context's \`${variable}\` as of event ${seq} ${wrong}`, seq))
  }
  for (const { variable, seq } of left.values())
    findings.push(altered(`the context has a \`${variable}\` as of event ${seq} that no event captured`, seq))
  return { findings, blobs }
}

async function expectedRows(log: LogAtHand, goneUpTo: number): Promise<readonly Expected[]> {
  const values = new RecordedValues(log, goneUpTo > 0)
  const expected: Expected[] = []
  let readable = true
  for (const record of log.records.filter(hasCaptures)) {
    const { runSeq: seq } = record
    const { captures = [] } = record.payload as Payload<'StepCompleted'>
    let context: Readonly<Record<string, unknown>> | undefined
    try {
      context = readable ? await values.contextAt(seq) : undefined
    } catch (thrown) {
      if (!(thrown instanceof KeelsonError)) throw thrown
      readable = false
    }
    if (seq <= goneUpTo) continue
    for (const variable of new Set(captures.map(({ path }) => variableOf(path))))
      expected.push({ variable, seq, value: context === undefined ? undefined : contextRow(context[variable]).text })
  }
  return expected
}

function hasCaptures({ eventType, payload }: LogRecord): boolean {
  return eventType === 'StepCompleted' && ((payload?.['captures'] ?? []) as readonly unknown[]).length > 0
}

function wrongValue({ value }: ContextWrite, expected: string | undefined): string | undefined {
  if (expected === undefined || value === expected || sameJson(value, expected)) return undefined
  return 'is not what its captures give'
}

async function wrongBlob(log: LogAtHand, sha256: string | undefined): Promise<string | undefined> {
  if (sha256 === undefined) return undefined
  const text = await log.blob(sha256)
  if (text === undefined) return `names the stored value ${sha256}, which is missing`
  return sha256Hex(text) === sha256 ? undefined : `names the stored value ${sha256}, which was altered`
}
