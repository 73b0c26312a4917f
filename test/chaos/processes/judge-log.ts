/**
 * Judges one run's log by the rules of docs/reference/log.md alone: numbers, keys, hashes, the chain, and that nothing was
 * ended twice or written after the end.
 */
import { createHash } from 'node:crypto'
import type { RecordFields, StoredLine } from './look.ts'
import { fieldsOf } from './look.ts'

const ZEROS = Buffer.alloc(32)
const STEP_ENDS: ReadonlySet<string> = new Set(['StepCompleted', 'StepFailed', 'StepSkipped'])
const UNDO_ENDS: ReadonlySet<string> = new Set(['CompensationCompleted', 'CompensationFailed'])
export const RUN_ENDS: ReadonlySet<string> = new Set(['RunCompleted', 'RunFailed', 'RunCancelled'])
const AFTER_THE_END: ReadonlySet<string> = new Set([
  'SignalAccepted',
  'SignalRejected',
  'LateOutcomeRecorded',
  'RunForked',
  'AlertRaised',
  'AlertEscalated',
  'ErasureRecorded',
])

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** RFC 8785 for what JSON.parse gives: names by UTF-16 code unit, numbers and texts as ECMAScript writes them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, entry]) => `${JSON.stringify(name)}:${canonical(entry)}`).join(',')}}`
}

export function stepSlotOf({ eventType, stepId, payload = {} }: RecordFields): string {
  return eventType.startsWith('Step') ? (stepId ?? '') : String(payload['stepId'] ?? '')
}

/** The table of slots in log.md. */
function slotOf(record: RecordFields): string {
  const { eventType, payload = {}, decision } = record
  if (/^Step|^FanOut/.test(eventType)) return stepSlotOf(record)
  if (eventType.startsWith('Signal')) return `SIGNAL:${String(payload['signalId'])}`
  if (eventType.startsWith('Compensation')) return `COMP:${stepSlotOf(record)}`
  if (eventType === 'ManualTaskOpened') return `TASK:${stepSlotOf(record)}:${String(payload['attempt'])}`
  if (eventType === 'LateOutcomeRecorded') {
    const compensation = payload['compensation'] === true ? 'COMP:' : ''
    return `LATE:${compensation}${stepSlotOf(record)}:${String(payload['attempt'])}`
  }
  if (eventType.startsWith('Alert'))
    return `ALERT:${String(payload['code'])}:${payload['stepId'] === undefined ? 'RUN' : stepSlotOf(record)}:${decision.firstSeq}`
  if (eventType === 'RunForked') return `FORK:${String(payload['newRunId'])}`
  return 'RUN'
}

/** What is wrong with it; empty when nothing is. */
export function judgeLog(log: readonly StoredLine[], headHash: Buffer): readonly string[] {
  const wrong: string[] = []
  const check = (isRight: boolean, what: string): void => void (isRight || wrong.push(what))
  const keys = new Set<string>()
  const ends = new Set<string>()
  let previous: Buffer = ZEROS
  let ended = false
  for (const [index, line] of log.entries()) {
    const record = fieldsOf(line)
    const at = `${line.runId} #${line.seq} ${line.eventType}`
    check(line.seq === index + 1 && record.runSeq === line.seq, `${at}: the number is not ${index + 1}`)
    check(record.runId === line.runId && record.eventType === line.eventType, `${at}: the record is of something else`)
    check(canonical(JSON.parse(line.record)) === line.record, `${at}: the record is not canonical`)
    previous = sha256(previous, line.record)
    check(previous.equals(line.chainHash), `${at}: the chain is broken`)
    const { runId, logicalAttemptId, eventType, planVersion } = record
    const key = sha256([runId, slotOf(record), logicalAttemptId, eventType, planVersion].join('|'))
    check(key.equals(line.key) && key.toString('hex') === record.idempotencyKey, `${at}: the key is wrong`)
    check(!keys.has(record.idempotencyKey), `${at}: the key is there twice`)
    keys.add(record.idempotencyKey)
    const dataHash = line.data === null || line.salt === null ? undefined : sha256(line.salt, line.data).toString('hex')
    check(dataHash === record.dataHash, `${at}: the data hash is wrong`)
    const end = `${slotOf(record)}#${logicalAttemptId}`
    if (STEP_ENDS.has(eventType) || UNDO_ENDS.has(eventType)) {
      check(!ends.has(end), `${at}: ${end} ended before`)
      ends.add(end)
    }
    check(!ended || AFTER_THE_END.has(eventType), `${at}: it follows the end of the run`)
    ended ||= RUN_ENDS.has(eventType)
  }
  check(previous.equals(headHash), `${log[0]?.runId}: the run row has another head than the log`)
  return wrong
}
