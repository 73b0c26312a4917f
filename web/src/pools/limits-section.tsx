/** The limits for starts: what each allows, what becomes of a start without room, who set it and when; and ways to set, change and remove one. */
import { useState, type ReactElement } from 'react'
import { setQuery, useAddress } from '../address/address.ts'
import { allows, whenFullWords } from '../queue/limit-words.ts'
import type { Limit } from '../queue/use-queue.ts'
import { session } from '../server/session.ts'
import { ActButton } from '../shown/act-button.tsx'
import { SureDialog } from '../shown/sure-dialog.tsx'
import { When } from '../shown/when.tsx'
import { LimitForm } from './limit-form.tsx'

const SETS_LIMITS = 'RBAC_ROLE_ASSIGN'

export interface LimitsSectionProps {
  readonly limits: readonly Limit[]
  readonly now: number
  readonly again: () => void
}

export function LimitsSection({ limits, now, again }: LimitsSectionProps): ReactElement {
  const opened = useAddress().query.get('limit')
  const [removed, setRemoved] = useState<Limit>()
  return (
    <section aria-label="Limits for starts">
      <h2>Limits for starts</h2>
      <p className="quiet">
        How many runs may go on at once, or start in a minute. A run that goes on is never ended by one.
      </p>
      {limits.length === 0 ? (
        <div className="empty">
          <p>Nothing limits starts. The button sets a limit, or from a terminal:</p>
          <pre>keelson limits set plan:order --max-running 5 --server {window.location.origin}</pre>
        </div>
      ) : (
        <Limits limits={limits} now={now} onRemove={setRemoved} />
      )}
      {opened === null ? (
        <ActButton words="New limit" needs={SETS_LIMITS} isMain onClick={() => setQuery({ limit: 'new' }, 'step')} />
      ) : (
        <LimitForm
          key={`${opened} ${limits.some(({ name }) => name === opened)}`}
          limits={limits}
          name={opened === 'new' ? '' : opened}
          onDone={() => {
            setQuery({ limit: undefined }, 'step')
            again()
          }}
        />
      )}
      {removed === undefined ? null : (
        <SureDialog
          title={`Remove the limit ${removed.name}?`}
          act="Remove"
          onAct={async () => {
            await session.get().client.call('removeLimit', { params: { limitName: removed.name } })
            again()
          }}
          onClose={() => setRemoved(undefined)}
        >
          <p>It allowed {allows(removed)}. All that waits for it alone starts.</p>
        </SureDialog>
      )}
    </section>
  )
}

interface LimitsProps {
  readonly limits: readonly Limit[]
  readonly now: number
  readonly onRemove: (limit: Limit) => void
}

function Limits({ limits, now, onRemove }: LimitsProps): ReactElement {
  return (
    <table className="listing">
      <thead>
        <tr>
          <th scope="col">limit</th>
          <th scope="col">allows</th>
          <th scope="col" className="wide">
            when full
          </th>
          <th scope="col" className="wide number">
            priority
          </th>
          <th scope="col">set</th>
          <th scope="col">
            <span className="sr-only">acts</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {limits.map((limit) => (
          <tr key={limit.name}>
            <td>
              <code>{limit.name}</code>
            </td>
            <td>{allows(limit)}</td>
            <td className="wide">
              <code>{limit.whenFull}</code> <span className="quiet">{whenFullWords(limit.whenFull)}</span>
            </td>
            <td className="wide number">{limit.priority}</td>
            <td>
              <When at={limit.setAt} now={now} /> <span className="quiet">by {limit.setBy}</span>
            </td>
            <td>
              <span className="row-acts">
                <ActButton
                  words="Change"
                  needs={SETS_LIMITS}
                  of={limit.name}
                  onClick={() => setQuery({ limit: limit.name }, 'step')}
                />
                <ActButton words="Remove" needs={SETS_LIMITS} of={limit.name} onClick={() => onRemove(limit)} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
