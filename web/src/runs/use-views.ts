/** The saved views that one sees: asked when the list opens, and after a change. */
import { useCallback, useEffect, useState } from 'react'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listViews } from '../../../src/core/api/views.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'

export type SavedView = AnswerOf<typeof listViews>['views'][number]

export interface Views {
  /** Undefined until the first answer. */
  readonly views: readonly SavedView[] | undefined
  readonly error: unknown
  readonly again: () => void
}

export function useViews(): Views {
  const { client } = useWatched(sessions)
  const [read, setRead] = useState<{ readonly views?: readonly SavedView[]; readonly error?: unknown }>({})
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    const leaving = new AbortController()
    client.call('listViews', { signal: leaving.signal }).then(setRead, (error: unknown) => {
      if (!leaving.signal.aborted) setRead((before) => ({ ...before, error }))
    })
    return () => leaving.abort()
  }, [client, asked])
  const again = useCallback(() => setAsked((count) => count + 1), [])
  return { views: read.views, error: read.error, again }
}

const RANDOM_BYTES = 4
const MOST_SLUG_CHARS = 40

/** Readable in a link, and nobody else's: `what-failed-1f9a03c2`. */
export function newViewId(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MOST_SLUG_CHARS)
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  return `${slug.replace(/^-|-$/g, '') || 'view'}-${[...random].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
