/** The open tasks, read anew whenever a run of the tenant has moved. */
import { useEffect, useState } from 'react'
import type { Task } from '../../../src/client/connect.ts'
import type { Session } from '../server/session.ts'
import { followTenant } from '../server/tenant-moves.ts'

export interface Tasks {
  readonly tasks: readonly Task[]
  readonly isLoaded: boolean
  readonly error?: unknown
}

/** What moves again and again is read once in a while. */
const REFRESH_MS = 300

export function useTasks(session: Session): Tasks {
  const [read, setRead] = useState<Tasks>({ tasks: [], isLoaded: false })
  useEffect(() => {
    const leaving = new AbortController()
    let waiting: ReturnType<typeof setTimeout> | undefined
    const failed = (error: unknown): void => {
      if (!leaving.signal.aborted) setRead((before) => ({ ...before, isLoaded: true, error }))
    }
    const load = (): void => {
      waiting = undefined
      const asked = session.client.call('listTasks', { signal: leaving.signal })
      asked.then(({ tasks }) => setRead({ tasks, isLoaded: true }), failed)
    }
    const soon = (): void => void (waiting ??= setTimeout(load, REFRESH_MS))
    setRead({ tasks: [], isLoaded: false })
    load()
    followTenant(session.connection, { moved: soon, resync: soon }, leaving.signal).catch(failed)
    return () => {
      leaving.abort()
      clearTimeout(waiting)
    }
  }, [session])
  return read
}
