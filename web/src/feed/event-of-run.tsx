/** Names an event of a run. Of the person's own tenant it leads to the run as it was then; of others there is nothing to see for them. */
import type { ReactElement } from 'react'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { me } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { shortId } from '../shown/words.ts'

export interface EventOfRunProps {
  readonly ofTenant: string
  readonly executionId: string
  readonly runSeq: number
}

export function EventOfRun({ ofTenant, executionId, runSeq }: EventOfRunProps): ReactElement {
  const who = useWatched(me)
  const words = `event ${runSeq} of run ${shortId(executionId)}`
  if (who?.tenantId !== ofTenant || !who.actions.includes('RUN_READ_STATUS'))
    return (
      <span title={executionId}>
        {words} <span className="quiet">of {ofTenant}</span>
      </span>
    )
  return (
    <Link href={`${runPath(executionId)}?at=${runSeq}`} title={executionId}>
      {words}
    </Link>
  )
}
