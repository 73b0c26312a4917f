/** One event, whole: the decision that wrote it with its cause, whether its hashes fit, and the event as the log has it. */
import { useMemo, type ReactElement } from 'react'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { forkPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import type { At } from '../history/at.ts'
import { useChain } from '../history/chain-of-log.ts'
import { goToEvent } from '../history/use-moment.ts'
import { CopyButton } from '../shown/copy-button.tsx'
import { JsonValue } from '../shown/json-value.tsx'
import { StateMark } from '../shown/state-mark.tsx'
import { shortId } from '../shown/words.ts'
import { causeWords } from './cause-words.ts'
import { chainLook } from './chain-look.ts'

/** Of a decision that wrote very many, these lead there. */
const SHOWN = 12

export function EventCard({ at }: { readonly at: At }): ReactElement | null {
  const { history, moment } = at
  const chain = useChain(history, history.lastSeq)
  const record = history.recordAt(moment.seq)
  const decided = useMemo(() => decisionOf(history.records, history.countAt(moment.seq) - 1), [history, moment.seq])
  const text = useMemo(() => JSON.stringify(decided, null, 2), [decided])
  if (record === undefined) return null
  const { runSeq, decision, chainHash } = record
  const look = chainLook(chain, runSeq)
  return (
    <div className="event-card">
      <p>
        decided by <strong title={decision.cause}>{causeWords(decision.cause)}</strong>
        {decided.length === 1 ? '' : `, with ${decided.length - 1} more: `}
        {decided.length === 1
          ? null
          : decided.slice(0, SHOWN).map((one) => (
              <button
                key={one.runSeq}
                type="button"
                className="small"
                aria-current={one.runSeq === runSeq}
                aria-label={`event ${one.runSeq} ${one.eventType}`}
                title={one.eventType}
                onClick={() => goToEvent(one.runSeq)}
              >
                {one.runSeq}
              </button>
            ))}
        {decided.length > SHOWN ? ` … ${decided.at(-1)?.runSeq ?? ''}` : ''}{' '}
        <CopyButton text={text} words="copy the decision" />
      </p>
      <p className="chain-line">
        <StateMark look={look} size={12} /> {look.word}{' '}
        <code className="quiet" title={chainHash}>
          {shortId(chainHash)}…
        </code>
        {at.hasEnded && !moment.isNow ? (
          <Link href={forkPath(at.execution.executionId, { atSeq: String(runSeq) })}>Fork from event {runSeq}</Link>
        ) : null}
      </p>
      <JsonValue value={record} label={`event ${moment.seq}`} />
    </div>
  )
}

/** Those that stand together with the one at this place in the log. */
function decisionOf(records: readonly LogRecord[], at: number): readonly LogRecord[] {
  const firstSeq = records[at]?.decision.firstSeq
  const isOfIt = (one: LogRecord | undefined): boolean => one !== undefined && one.decision.firstSeq === firstSeq
  let [first, last] = [at, at]
  while (isOfIt(records[first - 1])) first -= 1
  while (isOfIt(records[last + 1])) last += 1
  return records.slice(first, last + 1)
}
