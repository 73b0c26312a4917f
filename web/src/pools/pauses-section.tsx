/** Pauses of a whole plan or tenant: since when, who said so and why; and ways to set and lift one. */
import { useState, type ReactElement } from 'react'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listPauses } from '../../../src/core/api/pauses.ts'
import { RUNS, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { session } from '../server/session.ts'
import { ActButton } from '../shown/act-button.tsx'
import { StateMark } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { SureDialog } from '../shown/sure-dialog.tsx'
import { When } from '../shown/when.tsx'
import { PauseForm } from './pause-form.tsx'

export type Pause = AnswerOf<typeof listPauses>['pauses'][number]

const SETS_PAUSES = 'RUN_CANCEL'

export interface PausesSectionProps {
  readonly pauses: readonly Pause[]
  readonly now: number
  readonly again: () => void
}

export function PausesSection({ pauses, now, again }: PausesSectionProps): ReactElement {
  const isNew = useAddress().query.get('pause') !== null
  const [lifted, setLifted] = useState<Pause>()
  return (
    <section aria-label="Pauses">
      <h2>Pauses of plans and of the tenant</h2>
      <p className="quiet">While one holds, no step of its runs begins, and runs that start meanwhile start paused.</p>
      {pauses.length === 0 ? (
        <p className="quiet">Nothing pauses runs as a whole.</p>
      ) : (
        <ul className="pauses">
          {pauses.map((pause) => (
            <li key={pause.scope}>
              <PauseRow pause={pause} now={now} onLift={() => setLifted(pause)} />
            </li>
          ))}
        </ul>
      )}
      {isNew ? (
        <PauseForm
          onDone={() => {
            setQuery({ pause: undefined }, 'step')
            again()
          }}
        />
      ) : (
        <ActButton words="New pause" needs={SETS_PAUSES} isMain onClick={() => setQuery({ pause: 'new' }, 'step')} />
      )}
      {lifted === undefined ? null : (
        <SureDialog
          title={`Lift the pause of ${lifted.scope}?`}
          act="Lift"
          onAct={async () => {
            await session.get().client.call('liftPause', { params: { pauseScope: lifted.scope } })
            again()
          }}
          onClose={() => setLifted(undefined)}
        >
          <p>Runs that it paused go on. Those that a person paused stay paused.</p>
        </SureDialog>
      )}
    </section>
  )
}

interface PauseRowProps {
  readonly pause: Pause
  readonly now: number
  readonly onLift: () => void
}

function PauseRow({ pause: { scope, reason, setBy, setAt, since }, now, onLift }: PauseRowProps): ReactElement {
  return (
    <>
      <StateMark look={runLook('PAUSED')} /> <Link href={pausedRuns(scope)}>{scope}</Link>{' '}
      <span className="quiet">
        {since === undefined ? 'since an earlier version' : null}
        {since === undefined ? null : (
          <>
            since <When at={since} now={now} />
          </>
        )}
        {setBy === undefined ? '' : setAt === since ? ` by ${setBy}` : `, last said by ${setBy} `}
        {setAt === undefined || setAt === since ? null : <When at={setAt} now={now} />}
      </span>
      {reason === undefined ? <span className="quiet">, without a reason</span> : <q>{reason}</q>}{' '}
      {scope === 'fleet' ? (
        <span className="quiet">of all tenants: whoever operates the server lifts it</span>
      ) : (
        <ActButton words="Lift" needs={SETS_PAUSES} of={scope} onClick={onLift} />
      )}
    </>
  )
}

/** The runs of a scope that are paused, by the filter of the list. */
function pausedRuns(scope: string): string {
  const planId = scope.startsWith('plan:') ? scope.slice('plan:'.length) : undefined
  const plan = planId === undefined ? '' : ` plan:"${planId}"`
  return `${RUNS}?${new URLSearchParams({ q: `status:paused${plan}` }).toString()}`
}
