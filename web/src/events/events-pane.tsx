/**
 * The log as a list. Only the rows on the screen exist, however long the log is. A line between rows is where another decision
 * begins; what comes after the cursor is pale.
 */
import { useEffect, useMemo, useRef, useState, type CSSProperties, type ReactElement } from 'react'
import { stepSlotOf } from '../../../src/core/events/slot-of.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { setQuery } from '../address/address.ts'
import { eventLine } from './event-line.ts'
import type { RunHistory } from '../history/run-history.ts'
import type { Moment } from '../history/use-moment.ts'

export interface EventsPaneProps {
  readonly history: RunHistory
  readonly lastSeq: number
  readonly moment: Moment
}

const ROW = 26
const SPARE_ROWS = 10
const FIRST_HEIGHT = 600
const BAD = /Failed$|Rejected$/

export function EventsPane({ history, lastSeq, moment }: EventsPaneProps): ReactElement {
  const [filter, setFilter] = useState('')
  const rows = useMemo(() => fitting(history.records, filter), [history, lastSeq, filter])
  const list = useRef<HTMLDivElement>(null)
  const { top, height } = useWindow(list)
  const chosen = lastUpTo(rows, moment.seq)
  useEffect(() => {
    const box = list.current
    if (box === null || chosen < 0) return
    const at = chosen * ROW
    if (at < box.scrollTop || at + ROW > box.scrollTop + box.clientHeight) box.scrollTop = at - box.clientHeight / 2
  }, [chosen])
  const first = Math.max(0, Math.floor(top / ROW) - SPARE_ROWS)
  const shown = rows.slice(first, Math.ceil((top + height) / ROW) + SPARE_ROWS)
  return (
    <div className="events">
      <label className="filter">
        <span className="sr-only">Filter events</span>
        <input
          type="search"
          placeholder="filter events"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <span className="quiet">{rows.length.toLocaleString('en')}</span>
      </label>
      <div className="event-rows" ref={list} role="listbox" aria-label="Events" tabIndex={0}>
        <div
          style={{ height: rows.length * ROW, '--seq': `${String(lastSeq).length}ch` } as CSSProperties}
          role="presentation"
        >
          {shown.map((record, at) => (
            <Row
              key={record.runSeq}
              record={record}
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
  readonly top: number
  readonly isChosen: boolean
  readonly isLater: boolean
  readonly beginsDecision: boolean
}

function Row({ record, top, isChosen, isLater, beginsDecision }: RowProps): ReactElement {
  const { runSeq, eventType, decision } = record
  const slot = stepSlotOf(record)
  const names = `event ${isChosen ? 'chosen' : ''} ${isLater ? 'later' : ''} ${beginsDecision ? 'begins' : ''}`
  return (
    <div
      className={names}
      style={{ top, height: ROW }}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      title={`caused by ${decision.cause}`}
      onClick={() => choose(record, slot)}
      onKeyDown={(event) => (event.key === 'Enter' ? choose(record, slot) : undefined)}
    >
      <span className="seq">{runSeq}</span>
      <span className={`type ${BAD.test(eventType) ? 'failed' : ''}`}>{eventType}</span>
      <span className="slot">{slot ?? ''}</span>
      <span className="line">{eventLine(record)}</span>
    </div>
  )
}

/** The cursor goes to the event, and what it is about is selected. */
function choose({ runSeq }: LogRecord, slot: string | undefined): void {
  setQuery({ at: String(runSeq), ...(slot === undefined ? {} : { step: slot.replace(/^FALLBACK:/, '') }) })
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

/** Which part of the list is on the screen. */
function useWindow(list: { readonly current: HTMLDivElement | null }): {
  readonly top: number
  readonly height: number
} {
  const [seen, setSeen] = useState({ top: 0, height: FIRST_HEIGHT })
  useEffect(() => {
    const box = list.current
    if (box === null) return undefined
    const look = (): void => setSeen({ top: box.scrollTop, height: box.clientHeight })
    const size = new ResizeObserver(look)
    size.observe(box)
    box.addEventListener('scroll', look, { passive: true })
    return () => {
      size.disconnect()
      box.removeEventListener('scroll', look)
    }
  }, [list])
  return seen
}
