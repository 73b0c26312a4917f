/** The list of events by keyboard and mouse: arrows, pages and ends move the cursor, Enter and a click select what an event is about. */
import type { KeyboardEvent, MouseEvent } from 'react'
import { stepSlotOf } from '../../../src/core/events/slot-of.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { setQuery } from '../address/address.ts'
import { goToEvent } from '../history/use-moment.ts'

export interface EventList {
  readonly rows: readonly LogRecord[]
  /** The place of the chosen row; -1: none. */
  readonly chosen: number
  /** So many rows are seen at once. */
  readonly page: number
}

export interface ListHands {
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onClick: (event: MouseEvent) => void
}

export function rowId({ runSeq }: LogRecord): string {
  return `event-${runSeq}`
}

export function listHands(list: EventList): ListHands {
  return {
    onKeyDown: (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      const record = list.rows[placeAfter(event.key, list)]
      if (record === undefined) return
      event.preventDefault()
      if (event.key === 'Enter') choose(record)
      else goToEvent(record.runSeq)
    },
    onClick: ({ target }) => {
      const id = target instanceof Element ? target.closest('[role=option]')?.id : undefined
      const record = list.rows.find((one) => rowId(one) === id)
      if (record !== undefined) choose(record)
    },
  }
}

/** As in every list box; -1: nowhere. */
function placeAfter(key: string, { rows, chosen, page }: EventList): number {
  const last = rows.length - 1
  const within = (place: number): number => Math.max(0, Math.min(last, place))
  switch (key) {
    case 'ArrowDown':
      return within(chosen + 1)
    case 'ArrowUp':
      return within(chosen - 1)
    case 'PageDown':
      return within(chosen + page)
    case 'PageUp':
      return within(chosen - page)
    case 'Home':
      return 0
    case 'End':
      return last
    case 'Enter':
      return chosen
    default:
      return -1
  }
}

/** The cursor goes to the event, and what it is about is selected. */
function choose(record: LogRecord): void {
  const slot = stepSlotOf(record)
  setQuery({ at: String(record.runSeq), ...(slot === undefined ? {} : { step: slot.replace(/^FALLBACK:/, '') }) })
}
