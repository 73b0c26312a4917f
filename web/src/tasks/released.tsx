/** What approving a task releases, decided by the core on a copy of the run as it is. */
import { useMemo, type ReactElement } from 'react'
import type { Task } from '../../../src/client/connect.ts'
import { foresee } from '../acts/foresee.ts'
import { ForeseenList } from '../acts/foreseen-list.tsx'
import type { LoadedRun } from '../history/load-run.ts'
import { me } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'

export interface ReleasedProps {
  readonly run: LoadedRun
  readonly lastSeq: number
  readonly task: Task
}

export function Released({ run: { history, isWhole }, lastSeq, task }: ReleasedProps): ReactElement | null {
  const who = useWatched(me)
  const { actionId: slot, attempt } = task
  const foreseen = useMemo(() => {
    const state = isWhole ? history.stateAt(lastSeq) : undefined
    if (state === undefined || history.graph === undefined || who === undefined || who === null) return undefined
    const payload = { artifactRefs: [], actorId: who.actorId, actorRoles: who.roles }
    const outcome = { kind: 'completed', payload } as const
    const clock = { now: history.msAt(lastSeq), epoch: history.epochAt(lastSeq) }
    return foresee(history.graph, state, { kind: 'outcome', slot, attempt, engineAttempt: 1, outcome }, clock)
  }, [history, isWhole, lastSeq, slot, attempt, who])
  if (foreseen === undefined || foreseen.refusal !== undefined) return null
  return <ForeseenList foreseen={foreseen} title="what approving releases" />
}
