/** Pauses a plan or the tenant, with a reason, after asking once more. */
import { useState, type FormEvent, type ReactElement } from 'react'
import { LIMITS } from '../../../src/core/limits.ts'
import { setQuery } from '../address/address.ts'
import { session } from '../server/session.ts'
import { SureDialog } from '../shown/sure-dialog.tsx'
import { ScopeField, scopeName, type Scope } from './scope-field.tsx'

const KINDS = { tenant: 'the whole tenant', plan: 'one plan' } as const

export function PauseForm({ onDone }: { readonly onDone: () => void }): ReactElement {
  const [scope, setScope] = useState<Scope>({ kind: 'plan', planId: '' })
  const [reason, setReason] = useState('')
  const [isAsked, setAsked] = useState(false)
  const pauseScope = scopeName(scope)
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    setAsked(true)
  }
  return (
    <>
      <form className="operate-form" aria-label="New pause" onSubmit={ask}>
        <ScopeField legend="It pauses" kinds={KINDS} scope={scope} onChange={setScope} />
        <label className="field">
          Reason
          <input
            required
            value={reason}
            maxLength={LIMITS.signalReasonChars}
            placeholder="stock count"
            onChange={({ target }) => setReason(target.value)}
          />
        </label>
        <div className="buttons">
          <button type="submit" className="main">
            Pause …
          </button>
          <button type="button" onClick={() => setQuery({ pause: undefined }, 'step')}>
            Leave it
          </button>
        </div>
      </form>
      {isAsked ? (
        <SureDialog
          title={`Pause ${pauseScope}?`}
          act="Pause"
          onAct={async () => {
            await session.get().client.call('setPause', { params: { pauseScope }, body: { reason: reason.trim() } })
            onDone()
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            {scope.kind === 'tenant' ? 'Every run of the tenant' : `Every run of ${scope.planId.trim()}`} pauses: steps
            at work may end, nothing new begins, and runs that start meanwhile start paused, until it is lifted.
          </p>
        </SureDialog>
      ) : null}
    </>
  )
}
