/** The numbers of a limit for starts: each may be left out, and one must be given. */
import type { ReactElement } from 'react'
import { LIMITS } from '../../../src/core/limits.ts'
import type { Limit } from '../queue/use-queue.ts'

const WORDS = {
  maxRunning: 'Runs at once',
  ratePerMinute: 'Starts in a minute',
  maxConcurrentSteps: 'Most steps at once that a plan may ask for',
} as const

export type Count = keyof typeof WORDS
const COUNTS = Object.keys(WORDS) as readonly Count[]

/** As they are typed; empty: no limit. */
export type Counts = Readonly<Record<Count, string>>

export const isOffered = (count: Count, kind: string): boolean => count !== 'maxConcurrentSteps' || kind === 'tenant'

export function countsOf(limit: Limit | undefined): Counts {
  const text = (count: Count): string => limit?.[count]?.toString() ?? ''
  return {
    maxRunning: text('maxRunning'),
    ratePerMinute: text('ratePerMinute'),
    maxConcurrentSteps: text('maxConcurrentSteps'),
  }
}

/** Those that are given and offered for such a limit. */
export function numbersOf(counts: Counts, kind: string): Partial<Record<Count, number>> {
  const given = COUNTS.filter((count) => counts[count] !== '' && isOffered(count, kind))
  return Object.fromEntries(given.map((count) => [count, Number(counts[count])]))
}

export interface CountFieldsProps {
  readonly counts: Counts
  readonly isOffered: (count: Count) => boolean
  readonly onChange: (counts: Counts) => void
}

export function CountFields({ counts, isOffered: isShown, onChange }: CountFieldsProps): ReactElement {
  const shown = COUNTS.filter(isShown)
  const isEmpty = shown.every((count) => counts[count] === '')
  return (
    <>
      {shown.map((count) => (
        <label key={count} className="field">
          {WORDS[count]}
          <input
            type="number"
            min={1}
            max={count === 'maxConcurrentSteps' ? LIMITS.concurrencyMax : LIMITS.limitUnits}
            step={1}
            placeholder="no limit"
            // The server refuses a limit of nothing; the field says so first.
            required={count === 'maxRunning' && isEmpty}
            value={counts[count]}
            onChange={({ target }) => onChange({ ...counts, [count]: target.value })}
          />
        </label>
      ))}
    </>
  )
}
