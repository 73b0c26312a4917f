/** Sets a limit for starts, or changes one: it asks once more, with what then holds. */
import { useState, type FormEvent, type ReactElement } from 'react'
import { setQuery } from '../address/address.ts'
import { allows, readWhenFull, WHEN_FULL, whenFullWords, type WhenFull } from '../queue/limit-words.ts'
import type { Limit } from '../queue/use-queue.ts'
import { session } from '../server/session.ts'
import { SureDialog } from '../shown/sure-dialog.tsx'
import { CountFields, countsOf, isOffered, numbersOf, type Count } from './count-fields.tsx'
import { readScope, ScopeField, scopeName } from './scope-field.tsx'

export interface LimitFormProps {
  /** All that hold now. */
  readonly limits: readonly Limit[]
  /** The one that is changed; empty: any may be set. */
  readonly name: string
  readonly onDone: () => void
}

const KINDS = {
  tenant: 'all runs of the tenant',
  plan: 'one plan',
  key: "each value of a plan's concurrencyKey",
} as const

interface Asked extends Partial<Record<Count, number>> {
  readonly whenFull: WhenFull
  readonly priority: number
}

export function LimitForm({ limits, name, onDone }: LimitFormProps): ReactElement {
  const changed = limits.find((one) => one.name === name)
  const [scope, setScope] = useState(() => readScope(name === '' ? 'plan:' : name))
  const [counts, setCounts] = useState(() => countsOf(changed))
  const [whenFull, setWhenFull] = useState(() => readWhenFull(changed?.whenFull))
  const [priority, setPriority] = useState(String(changed?.priority ?? 0))
  const [asked, setAsked] = useState<Asked>()
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    setAsked({ ...numbersOf(counts, scope.kind), whenFull, priority: Number(priority) })
  }
  return (
    <>
      <form className="operate-form" aria-label={name === '' ? 'New limit' : `Change the limit ${name}`} onSubmit={ask}>
        {name === '' ? (
          <ScopeField legend="It counts" kinds={KINDS} scope={scope} onChange={setScope} />
        ) : (
          <p>
            Limit <code>{name}</code>
          </p>
        )}
        <CountFields counts={counts} isOffered={(count) => isOffered(count, scope.kind)} onChange={setCounts} />
        <label className="field">
          A start without room
          <select value={whenFull} onChange={({ target }) => setWhenFull(readWhenFull(target.value))}>
            {Object.entries(WHEN_FULL).map(([value, words]) => (
              <option key={value} value={value}>
                {value}: {words}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          Priority; lower starts first among those that wait
          <input
            type="number"
            step="any"
            required
            value={priority}
            onChange={({ target }) => setPriority(target.value)}
          />
        </label>
        <div className="buttons">
          <button type="submit" className="main">
            {name === '' ? 'Set the limit …' : 'Change the limit …'}
          </button>
          <button type="button" onClick={() => setQuery({ limit: undefined }, 'step')}>
            Leave it
          </button>
        </div>
      </form>
      {asked === undefined ? null : (
        <SureLimit
          limitName={scopeName(scope)}
          asked={asked}
          before={limits.find((one) => one.name === scopeName(scope))}
          onDone={onDone}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

interface SureLimitProps {
  readonly limitName: string
  readonly asked: Asked
  /** What holds under that name now. */
  readonly before: Limit | undefined
  readonly onDone: () => void
  readonly onClose: () => void
}

function SureLimit({ limitName, asked, before, onDone, onClose }: SureLimitProps): ReactElement {
  return (
    <SureDialog
      title={`Set the limit ${limitName}?`}
      act="Set it"
      onAct={async () => {
        await session.get().client.call('setLimit', { params: { limitName }, body: asked })
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        It allows {allows(asked)}; {whenFullWords(asked.whenFull)}.
      </p>
      {before === undefined ? null : (
        <p>
          Now it allows {allows(before)}; {whenFullWords(before.whenFull)}.
        </p>
      )}
      <p>
        It holds at once, in every process. Runs that go on are not ended, and what waits starts as soon as there is
        room.
      </p>
    </SureDialog>
  )
}
