/** A page of the audit log. It is asked for once and not by the clock: each reading is itself recorded. */
import { useEffect, useState } from 'react'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import type { AuditAsked } from './audit-query.ts'
import type { AuditPage } from './audit-record.ts'

export interface ReadAudit {
  readonly page: AuditPage | undefined
  readonly error: unknown
  readonly again: () => void
}

export function useAudit(asked: AuditAsked): ReadAudit {
  const { client } = useWatched(sessions)
  const key = JSON.stringify(asked)
  const [read, setRead] = useState<{ readonly key: string; readonly page?: AuditPage; readonly error?: unknown }>({
    key,
  })
  const [round, setRound] = useState(0)
  useEffect(() => {
    const leaving = new AbortController()
    const query = JSON.parse(key) as AuditAsked
    client.call('listAudit', { query, signal: leaving.signal }).then(
      (page) => setRead({ key, page }),
      (error: unknown) => {
        if (!leaving.signal.aborted) setRead((before) => ({ ...(before.key === key ? before : { key }), error }))
      },
    )
    return () => leaving.abort()
  }, [client, key, round])
  const isThis = read.key === key
  return {
    page: isThis ? read.page : undefined,
    error: isThis ? read.error : undefined,
    again: () => setRound((at) => at + 1),
  }
}
