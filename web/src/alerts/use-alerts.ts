/**
 * The alerts of the tenant, live: read once, and when runs move only of what moved since. They are made of logs, so that reading all of
 * them again at every move would read every log again.
 */
import { useCallback, useEffect, useState } from 'react'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listAlerts } from '../../../src/core/api/operations.ts'
import { serverNow } from '../server/server-clock.ts'
import { session as sessions } from '../server/session.ts'
import { followTenant } from '../server/tenant-moves.ts'
import { useWatched } from '../server/watched.ts'
import { askedOf, type AlertQuery } from './alert-query.ts'

export type ShownAlert = AnswerOf<typeof listAlerts>['alerts'][number]

export interface Alerts {
  /** Undefined until the first answer; newest first. */
  readonly alerts: readonly ShownAlert[] | undefined
  readonly error: unknown
  /** There are older ones, or runs that were not looked at. */
  readonly more: (() => void) | undefined
  readonly again: () => void
}

const PAGE = 200
const AFTER_MOVE_MS = 400
/** What is stored a moment before its page is read may be told only with the next. */
const OVERLAP_MS = 60_000

interface Read {
  readonly key: string
  readonly alerts?: readonly ShownAlert[]
  readonly next?: string | undefined
  readonly error?: unknown
}

export function useAlerts(asked: AlertQuery): Alerts {
  const { client, connection } = useWatched(sessions)
  const key = JSON.stringify(asked)
  const [read, setRead] = useState<Read>({ key })
  const load = useCallback(
    async (signal: AbortSignal, given: { readonly since?: string; readonly cursor?: string } = {}) => {
      const { since, ...page } = given
      const { alerts, next } = await client.call('listAlerts', {
        query: { ...askedOf(JSON.parse(key) as AlertQuery, since), limit: PAGE, ...page },
        signal,
      })
      setRead((before) => {
        const known = before.key === key ? (before.alerts ?? []) : []
        // What is newer than a page says nothing of what lies beyond that page.
        return { key, alerts: merged(known, alerts), next: since === undefined ? next : before.next }
      })
    },
    [client, key],
  )
  const told = useCallback(
    (signal: AbortSignal, work: Promise<void>) =>
      void work.catch((error: unknown) => {
        if (!signal.aborted) setRead((before) => ({ ...(before.key === key ? before : { key }), error }))
      }),
    [key],
  )
  const [round, setRound] = useState(0)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    let lookedAt = serverNow()
    let soon: ReturnType<typeof setTimeout> | undefined
    told(signal, load(signal))
    const look = async (): Promise<void> => {
      soon = undefined
      const asking = serverNow()
      await load(signal, { since: new Date(lookedAt - OVERLAP_MS).toISOString() })
      // What could not be read is read the next time.
      lookedAt = asking
    }
    const moved = (): void => void (soon ??= setTimeout(() => told(signal, look()), AFTER_MOVE_MS))
    void followTenant(connection, { moved, resync: moved }, signal).catch(() => undefined)
    return () => {
      leaving.abort()
      clearTimeout(soon)
    }
  }, [load, told, connection, round])
  const isThis = read.key === key
  const next = isThis ? read.next : undefined
  const never = new AbortController().signal
  return {
    alerts: isThis ? read.alerts : undefined,
    error: isThis ? read.error : undefined,
    more: next === undefined ? undefined : () => told(never, load(never, { cursor: next })),
    again: () => setRound((at) => at + 1),
  }
}

/** Each once, newest first. */
function merged(known: readonly ShownAlert[], more: readonly ShownAlert[]): readonly ShownAlert[] {
  const byId = new Map([...known, ...more].map((alert) => [alert.alertId, alert]))
  const newest = ({ persistedAt = '', runSeq = 0 }: ShownAlert): string =>
    `${persistedAt} ${String(runSeq).padStart(16)}`
  return [...byId.values()].sort((a, b) => (newest(a) < newest(b) ? 1 : -1))
}
