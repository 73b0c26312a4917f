/**
 * Compares the inbox rows of a run with its log. The log contains the result of each inbox row under its cause, so a row that was
 * changed, removed, inserted or marked as read at another place is found. A row that nobody has read yet is in no log.
 */
import { noticeId } from '../../core/events/event-notice.ts'
import type { LogRecord, Payload } from '../../core/events/event.ts'
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import { peopleNews } from '../../core/run/people/duties.ts'
import type { People } from '../../core/run/state/people.ts'
import type { Authorization } from '../../core/run/input.ts'
import { isoFromMs } from '../../core/time.ts'
import type { EventNotice } from '../../ports/events.ts'
import type { InboxEvidence } from '../../ports/evidence.ts'
import { canonicalText } from '../log/canonical.ts'
import { altered, type EvidenceFinding } from './finding.ts'
import { inboxInput, type InboxInput } from '../inbox/input.ts'
import { recordedDecisions, type RecordedDecision } from '../rederive/recorded-decision.ts'
import { isErased } from '../log/erased-data.ts'
import { recordedSignal } from '../rederive/recorded-signal.ts'
import { planStepOf } from '../../core/events/slot-of.ts'

/** What kind an inbox row is, by the first part of its id (P-21). */
const KINDS: Readonly<Record<string, string>> = {
  signal: 'signal',
  manual: 'manual',
  child: 'child',
  outcome: 'outcome',
  approve: 'approve',
  scope: 'scope',
  fork: 'fork',
  grant: 'grant',
  event: 'event',
  handoff: 'wake',
}

export interface InboxRowFrame {
  readonly nextSeq: number
  readonly goneUpTo: number
  /** Absent when the plan is gone: then it is not known which steps wait for people. */
  readonly graph?: PlanGraph
}

export function checkInboxRows(
  inboxRows: readonly InboxEvidence[],
  records: readonly LogRecord[],
  { nextSeq, goneUpTo, graph }: InboxRowFrame,
): readonly EvidenceFinding[] {
  const decisions = recordedDecisions(records)
  const read = inboxRows.map((inboxRow) => ({ inboxRow, input: inputOf(inboxRow) }))
  return [
    ...read.flatMap(({ inboxRow, input }) => {
      const wrong = misshapen(inboxRow, input, nextSeq, goneUpTo) ?? unlikeLog(inboxRow, input, decisions)
      return wrong === undefined ? [] : [altered(`inbox row ${inboxRow.inboxId} ${wrong}`, inboxRow.consumedSeq)]
    }),
    ...missingInboxRows(inboxRows, decisions, graph),
  ]
}

/** Undefined when its body was erased. */
function inputOf(inboxRow: InboxEvidence): InboxInput | undefined {
  return inboxRow.bodySha256 === undefined ? inboxInput(inboxRow) : undefined
}

function misshapen(
  inboxRow: InboxEvidence,
  input: InboxInput | undefined,
  nextSeq: number,
  goneUpTo: number,
): string | undefined {
  const { inboxId, kind, body, bodySha256, consumedSeq } = inboxRow
  const prefix = inboxId.slice(0, Math.max(0, inboxId.indexOf(':')))
  if (KINDS[prefix] !== kind) return `is filed as ${kind}`
  if (consumedSeq !== undefined && (consumedSeq < 1 || consumedSeq > nextSeq))
    return `was read at event ${consumedSeq}, which the log does not have`
  if (bodySha256 !== undefined) {
    if (body !== '' || !/^[0-9a-f]{64}$/.test(bodySha256)) return 'has a body beside the hash of an erased one'
    return (consumedSeq ?? Infinity) <= goneUpTo ? undefined : 'lost its body, and no erasure reaches it'
  }
  const named = input === undefined ? undefined : nameIn(input, body)
  // The id of an offer also counts the offers.
  const found = kind === 'grant' ? inboxId.replace(/:[1-9]\d*$/, '') : inboxId
  return named === undefined || found === `${prefix}:${named}` ? undefined : `is about ${named}`
}

/** The parts of the body that the id repeats. */
function nameIn(input: InboxInput, body: string): string | undefined {
  if (input.kind === 'child') return input.body.childRunId
  if (input.kind === 'event') return noticeId(input.notice).slice('event:'.length)
  if (input.kind !== 'input') return undefined
  if (input.input.kind === 'grant') return offered(input.input.slot, body)
  if (input.input.kind === 'signal') return input.input.signalId
  return input.input.kind === 'fork' ? input.input.payload.newRunId : undefined
}

function offered(slot: string, body: string): string {
  return `${slot}:${String((JSON.parse(body) as { readonly attempt?: unknown }).attempt)}`
}

function unlikeLog(
  { inboxId, consumedSeq }: InboxEvidence,
  input: InboxInput | undefined,
  decisions: readonly RecordedDecision[],
): string | undefined {
  if (consumedSeq === undefined) return undefined
  const isAnswered = inboxId.startsWith('signal:')
  const decision = decisions.find(({ firstSeq }) => firstSeq === consumedSeq)
  if (isAnswered && decision?.cause !== inboxId && input?.kind !== 'unreadable')
    return `was read at event ${consumedSeq}, which is not its answer`
  if (decision === undefined || input === undefined) return undefined
  return otherThan(input, decision)
}

/** Compares what the inbox row says with what the log says came of it, as far as that repeats it. */
function otherThan(input: InboxInput, decision: RecordedDecision): string | undefined {
  const [first] = decision.records
  if (first === undefined) return undefined
  if (input.kind === 'child' && decision.cause === `child:${input.body.childRunId}`)
    return otherResult(input.body.output, first) ?? otherPeople(input.body.people, first)
  if (input.kind === 'event') return otherEvent(input.notice, decision.cause, first)
  if (input.kind === 'report') {
    const { slot, attempt, engineAttempt, result } = input.report
    if (decision.cause !== `outcome:${slot}:${attempt}:${engineAttempt}`) return undefined
    if (result.kind !== 'completed') return undefined
    const by = first.payload?.['actorId']
    if (first.eventType === 'StepCompleted' && by !== result.by?.actorId)
      return `is by ${result.by?.actorId ?? 'nobody'}`
    return otherResult(result.output, first)
  }
  if (input.kind !== 'input') return undefined
  const told = toldBy(input.input.kind, decision)
  const { kind: _kind, ...said } = input.input
  if (told === undefined || canonicalText(said) === canonicalText(told)) return undefined
  return isRefusalOfRun(told) && canonicalText(unjudged(said)) === canonicalText(unjudged(told)) ? undefined : OTHER
}

/** Codes with which the front door refuses, and the run's own rules too: of what was let in, the log alone says no. */
const REFUSED_BY_BOTH: ReadonlySet<string> = new Set([
  'AUTHZ_DENIED',
  'AUTHZ_REASON_REQUIRED',
  'SIGNAL_INVALID_PAYLOAD',
])

function isRefusalOfRun(told: object): boolean {
  const { authorization } = told as { readonly authorization?: Authorization }
  return authorization?.allowed === false && REFUSED_BY_BOTH.has(authorization.reasonCode ?? '')
}

function unjudged(signal: object): object {
  const { authorization, ...rest } = signal as { readonly authorization?: Authorization }
  const { actorId, actorRole, policyDecisionId } = authorization ?? {}
  return { ...rest, by: [actorId ?? null, actorRole ?? null, policyDecisionId ?? null] }
}

const OTHER = 'says something else than the log'
/** The mask of a secret: the log has it where the inbox row has the value. */
const MASK = '***'

function otherResult(output: unknown, record: LogRecord): string | undefined {
  const recorded = record.data?.['result']
  if (record.eventType !== 'StepCompleted' || isErased(record) || recorded === undefined) return undefined
  const text = canonicalText(recorded)
  return text.includes(MASK) || text === canonicalText(output ?? null) ? undefined : OTHER
}

function otherEvent({ eventId, sentAt, data }: EventNotice, cause: string, first: LogRecord): string | undefined {
  const { receivedEvent } = (first.payload ?? {}) as Partial<Payload<'StepCompleted'>>
  if (cause !== `event:${eventId}` || receivedEvent?.id !== eventId) return undefined
  return receivedEvent.sentAt === isoFromMs(sentAt) ? otherResult(data, first) : OTHER
}

/** Of the people of a child, the log repeats those that were new to the run. */
function otherPeople(told: People | undefined, { payload }: LogRecord): string | undefined {
  const { people } = (payload ?? {}) as Partial<Payload<'StepCompleted'>>
  if (people === undefined) return undefined
  const known = told ?? { makers: [], approvals: [], stoppedBy: [] }
  const { isCut: _cut, ...more } = peopleNews(known, people) ?? {}
  return Object.keys(more).length === 0 ? undefined : OTHER
}

/** The inbox row's content as its events repeat it; undefined where they do not. */
function toldBy(kind: string, { cause, records }: RecordedDecision): object | undefined {
  const [first] = records
  if (first === undefined) return undefined
  if (kind === 'approve' && first.eventType === 'RunApproved') return { approvedBy: first.payload?.['approvedBy'] }
  if (kind === 'fork' && first.eventType === 'RunForked') return { payload: first.payload as Payload<'RunForked'> }
  if (kind !== 'signal' || isErased(first) || !first.eventType.startsWith('Signal')) return undefined
  const { kind: _kind, ...signal } = recordedSignal(cause.slice('signal:'.length), records) as {
    readonly kind: 'signal'
  }
  return signal
}

/**
 * Signals, ends of children, forks, approvals and actions of people reach a run only through its inbox, and inbox rows are kept.
 */
function missingInboxRows(
  inboxRows: readonly InboxEvidence[],
  decisions: readonly RecordedDecision[],
  graph: PlanGraph | undefined,
): readonly EvidenceFinding[] {
  const readAt = new Map(inboxRows.map((inboxRow) => [`${inboxRow.kind} ${inboxRow.consumedSeq ?? ''}`, inboxRow]))
  return decisions.flatMap(({ cause, firstSeq, records }) => {
    const kind = kindOf(cause, records[0], graph)
    if (
      kind === 'event' &&
      inboxRows.some(({ inboxId, consumedSeq }) => consumedSeq === firstSeq && inboxId.startsWith(`${cause}:`))
    )
      return []
    const inboxRow = kind === undefined ? undefined : readAt.get(`${kind} ${firstSeq}`)
    const isIt = inboxRow !== undefined && (!cause.includes(':') || kind === 'manual' || inboxRow.inboxId === cause)
    if (kind === undefined || isIt) return []
    return [altered(`the inbox row that caused event ${firstSeq} (${cause}) is missing`, firstSeq)]
  })
}

/** The kind of inbox row that causes such a decision; undefined if it needs none. */
function kindOf(cause: string, first: LogRecord | undefined, graph: PlanGraph | undefined): string | undefined {
  if (cause.startsWith('signal:')) return 'signal'
  if (cause.startsWith('child:')) return 'child'
  if (cause.startsWith('event:') && first?.payload?.['receivedEvent'] !== undefined) return 'event'
  if (cause === 'fork' || cause === 'approve') return cause
  const step = graph?.steps[graph.indexOf.get((first && planStepOf(first)) ?? '') ?? -1]
  const isTask = step !== undefined && 'manual' in step && first?.payload?.['actorId'] !== undefined
  return cause.startsWith('outcome:') && isTask ? 'manual' : undefined
}
