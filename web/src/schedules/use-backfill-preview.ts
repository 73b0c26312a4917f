/** What a backfill of a span would start, asked of the server whenever the span changes. */
import { useEffect, useState } from 'react'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { previewBackfill } from '../../../src/core/api/schedules.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'

export type Preview = AnswerOf<typeof previewBackfill>

const two = (number: number): string => String(number).padStart(2, '0')

/** As a field of this browser's clocks has it; empty for what is no instant. */
export function localText(at: string | null): string {
  const date = new Date(at ?? '')
  if (Number.isNaN(date.getTime())) return ''
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

export interface Span {
  readonly from: string
  readonly to: string
}

export function spanOf(from: string | null, to: string | null): Span | undefined {
  return localText(from) === '' || localText(to) === '' ? undefined : { from: from ?? '', to: to ?? '' }
}

export interface Previewed {
  readonly preview?: Preview
  readonly error?: unknown
}

/** Whoever types has not finished after each digit. */
const SETTLE_MS = 300

export function useBackfillPreview(scheduleId: string, span: Span | undefined): Previewed {
  const { client } = useWatched(sessions)
  const [told, setTold] = useState<Previewed & { readonly of: string }>({ of: '' })
  const of = span === undefined ? '' : JSON.stringify(span)
  useEffect(() => {
    if (of === '') return undefined
    const leaving = new AbortController()
    const settling = setTimeout(() => {
      const query = JSON.parse(of) as Span
      client.call('previewBackfill', { params: { scheduleId }, query, signal: leaving.signal }).then(
        (preview) => setTold({ of, preview }),
        (error: unknown) => (leaving.signal.aborted ? undefined : setTold({ of, error })),
      )
    }, SETTLE_MS)
    return () => {
      clearTimeout(settling)
      leaving.abort()
    }
  }, [client, scheduleId, of])
  return told.of === of ? told : {}
}
