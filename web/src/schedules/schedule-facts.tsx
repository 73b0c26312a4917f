/** What a schedule says. */
import type { ReactElement, ReactNode } from 'react'
import { planPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { JsonValue } from '../shown/json-value.tsx'
import { When } from '../shown/when.tsx'
import { Rhythm } from './schedule-rows.tsx'
import type { Schedule } from './schedule-draft.ts'
import { CATCH_UP_WORDS, OVERLAP_WORDS } from './schedule-words.ts'

export function ScheduleFacts({ schedule, now }: { readonly schedule: Schedule; readonly now: number }): ReactElement {
  const { planId, planVersion, overlap = 'skip', catchUp = 'latest', catchUpMax, jitter, input } = schedule
  const { createdAt, createdBy, updatedAt, updatedBy } = schedule
  return (
    <dl className="facts">
      <Fact words="starts">
        <Link href={planPath(planId)}>{planId}</Link>{' '}
        <span className="quiet">{planVersion ?? 'the newest at each start'}</span>
      </Fact>
      <Fact words="when">
        <Rhythm schedule={schedule} />
        {jitter === undefined ? '' : `, each later by up to ${jitter}`}
      </Fact>
      <Fact words="while the run before goes on">{OVERLAP_WORDS[overlap]}</Fact>
      <Fact words="of what was missed">
        {CATCH_UP_WORDS[catchUp]}
        {catchUp === 'all' && catchUpMax !== undefined ? `, the newest ${catchUpMax} at most` : ''}
      </Fact>
      <Fact words="input">
        {input === undefined ? <span className="quiet">none</span> : <JsonValue value={input} label="input" />}
      </Fact>
      <Fact words="made">
        <When at={createdAt} now={now} /> by {createdBy}
        {updatedAt === createdAt ? null : (
          <span className="quiet">
            , changed <When at={updatedAt} now={now} /> by {updatedBy}
          </span>
        )}
      </Fact>
    </dl>
  )
}

function Fact({ words, children }: { readonly words: string; readonly children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{words}</dt>
      <dd>{children}</dd>
    </div>
  )
}
