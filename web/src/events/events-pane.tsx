/**
 * The log as a list. Only the rows on the screen exist, however long the log is. A line between rows is where another decision
 * begins, with its cause; what comes after the cursor is pale; a tick says that the hashes of an event fit.
 */
import { useEffect, useMemo, useRef, type CSSProperties, type ReactElement } from 'react'
import { stepSlotOf } from '../../../src/core/events/slot-of.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { setQuery, useAddress } from '../address/address.ts'
import { useChain, type CheckedChain } from '../history/chain-of-log.ts'
import type { RunHistory } from '../history/run-history.ts'
import { useKeys } from '../keys/use-keys.ts'
import { copyText } from '../shown/copy-text.ts'
import { StateMark } from '../shown/state-mark.tsx'
import { useWindow } from '../shown/use-window.ts'
import { causeWords } from './cause-words.ts'
import { chainLook } from './chain-look.ts'
import { ChainNote } from './chain-note.tsx'
import { listHands, rowId } from './event-keys.ts'
import { eventLine } from './event-line.ts'
import type { Moment } from '../history/use-moment.ts'

export interface EventsPaneProps {
  readonly history: RunHistory
  readonly lastSeq: number
  readonly moment: Moment
}

const ROW = 26
const SPARE_ROWS = 10
const FIRST_SEEN = { left: 0, top: 0, width: 600, height: 600 }
const BAD = /Failed$|Rejected$/

export function EventsPane({ history, lastSeq, moment }: EventsPaneProps): ReactElement {
  const filter = useAddress().query.get('events') ?? ''
  const rows = useMemo(() => fitting(history.records, filter), [history, lastSeq, filter])
  const list = useRef<HTMLDivElement>(null)
  const { top, height } = useWindow(list, FIRST_SEEN, ROW * 4)
  // A narrow screen shows one part at a time.
  const isSeen = height > 0
  const chosen = lastUpTo(rows, moment.seq)
  const chain = useChain(history, lastSeq)
  const isWhole = chain.broken === undefined && chain.missing.length === 0
  useKeys({
    c: () => void copyText(JSON.stringify(history.recordAt(moment.seq), null, 2) ?? ''),
  })
  useEffect(() => {
    const box = list.current
    if (box === null || chosen < 0) return
    const at = chosen * ROW
    if (at < box.scrollTop || at + ROW > box.scrollTop + box.clientHeight) box.scrollTop = at - box.clientHeight / 2
  }, [chosen, isSeen])
  const first = Math.max(0, Math.floor(top / ROW) - SPARE_ROWS)
  const shown = rows.slice(first, Math.ceil((top + height) / ROW) + 4 + SPARE_ROWS)
  // A row that is not drawn has no element to be named.
  const active = chosen >= first ? shown[chosen - first] : undefined
  const hands = listHands({ rows, chosen, page: Math.max(1, Math.floor(height / ROW) - 1) })
  return (
    <div className="events">
      <label className="filter">
        <span className="sr-only">Filter events</span>
        <input
          type="search"
          placeholder="filter events"
          value={filter}
          onChange={(event) => setQuery({ events: event.target.value })}
        />
        <span className="quiet">{rows.length.toLocaleString('en')}</span>
        {isWhole ? <ChainNote chain={chain} total={history.records.length} /> : null}
      </label>
      {isWhole ? null : <ChainNote chain={chain} total={history.records.length} />}
      <div
        className="event-rows"
        ref={list}
        role="listbox"
        aria-label="Events"
        aria-activedescendant={active === undefined ? undefined : rowId(active)}
        tabIndex={0}
        {...hands}
      >
        <div
          style={{ height: rows.length * ROW, '--seq': `${String(lastSeq).length}ch` } as CSSProperties}
          role="presentation"
        >
          {shown.map((record, at) => (
            <Row
              key={record.runSeq}
              record={record}
              chain={chain}
              top={(first + at) * ROW}
              isChosen={first + at === chosen}
              isLater={record.runSeq > moment.seq}
              beginsDecision={record.decision.firstSeq === record.runSeq}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

interface RowProps {
  readonly record: LogRecord
  readonly chain: CheckedChain
  readonly top: number
  readonly isChosen: boolean
  readonly isLater: boolean
  readonly beginsDecision: boolean
}

function Row({ record, chain, top, isChosen, isLater, beginsDecision }: RowProps): ReactElement {
  const { runSeq, eventType, decision } = record
  const slot = stepSlotOf(record)
  const look = chainLook(chain, runSeq)
  const cause = causeWords(decision.cause)
  const names = `event ${isChosen ? 'chosen' : ''} ${isLater ? 'later' : ''} ${beginsDecision ? 'begins' : 'within'}`
  return (
    <div
      id={rowId(record)}
      className={names}
      style={{ top, height: ROW }}
      role="option"
      aria-selected={isChosen}
      title={`caused by ${cause}; ${look.word}`}
    >
      <span className="seq">{runSeq}</span>
      <StateMark look={look} size={12} />
      <span className={`type ${BAD.test(eventType) ? 'failed' : ''}`}>{eventType}</span>
      <span className="slot" title={slot}>
        {slot ?? ''}
      </span>
      <span className="line">{eventLine(record)}</span>
      {beginsDecision ? <span className="cause">{cause}</span> : null}
      <span className="sr-only">{look.word}</span>
    </div>
  )
}

function fitting(records: readonly LogRecord[], filter: string): readonly LogRecord[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((one) => one !== '')
  if (words.length === 0) return [...records]
  return records.filter((record) => {
    const text = `${record.eventType} ${stepSlotOf(record) ?? ''} ${eventLine(record)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** The last row at or before event `seq`, or -1; halved each time, because the cursor asks with every picture. */
function lastUpTo(rows: readonly LogRecord[], seq: number): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.runSeq ?? 0) <= seq) low = middle + 1
    else high = middle
  }
  return low - 1
}
