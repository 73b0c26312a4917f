/**
 * The act that is open on the page of a run. It belongs to the page and not to the button that opened it: what the act changes may take
 * that button away, and the decision is still to be read. Who leaves the page leaves the act, too.
 */
import { Suspense, useEffect, type ReactElement } from 'react'
import type { At } from '../history/at.ts'
import { me } from '../server/session.ts'
import { useWatched, Watched } from '../server/watched.ts'
import { Boundary } from '../shown/boundary.tsx'
import { NotYet } from '../shown/not-yet.tsx'
import type { Act } from './offers.ts'
import { part } from '../server/part.ts'

// It decides, so the decider comes with it: that is loaded when somebody acts.
const ActDialog = part(async () => (await import('./act-dialog.tsx')).ActDialog)

interface Opened {
  readonly executionId: string
  readonly act: Act
  readonly stepId: string | undefined
}

const opened = new Watched<Opened | undefined>(undefined)

export const openAct = (at: At, act: Act, stepId: string | undefined): void =>
  opened.set({ executionId: at.execution.executionId, act, stepId })

export function OpenedAct({ at }: { readonly at: At }): ReactElement | null {
  const open = useWatched(opened)
  const who = useWatched(me)
  useEffect(() => () => opened.set(undefined), [])
  if (open?.executionId !== at.execution.executionId || who === null || who === undefined) return null
  return (
    <Boundary>
      <Suspense fallback={<NotYet onLeave={() => opened.set(undefined)} />}>
        <ActDialog act={open.act} at={at} stepId={open.stepId} who={who} onClose={() => opened.set(undefined)} />
      </Suspense>
    </Boundary>
  )
}
