/** One act: what it will do, a reason, who acts; then the decision on it. What it changed is shown when the log says so, never before. */
import { useEffect, useMemo, useRef, useState, type FormEvent, type ReactElement } from 'react'
import type { Decision, Me } from '../../../src/client/connect.ts'
import { LIMITS } from '../../../src/core/limits.ts'
import { SIGNALS } from '../../../src/core/run/signals/catalogue.ts'
import type { At } from '../history/at.ts'
import { useRequestKeys } from '../server/request-keys.ts'
import { session } from '../server/session.ts'
import { Trouble } from '../shown/trouble.tsx'
import { DecisionNote } from './decision-note.tsx'
import { foresee } from './foresee.ts'
import { ForeseenList } from './foreseen-list.tsx'
import { actsSent } from './waiting-decisions.tsx'
import { ACT_WORDS, payloadOf, signalOf, type Act, type Said } from './offers.ts'

export interface ActDialogProps {
  readonly act: Act
  readonly at: At
  readonly stepId: string | undefined
  readonly who: Me
  readonly onClose: () => void
}

export function ActDialog({ act, at, stepId, who, onClose }: ActDialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const [said, setSaid] = useState<Said>({ stepId })
  const [params, setParams] = useState('{}')
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const [decision, setDecision] = useState<Decision>()
  const keys = useRequestKeys()
  useEffect(() => dialog.current?.showModal(), [])
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setSending(true)
    setError(undefined)
    try {
      const given = act === 'UPDATE_PARAMS' ? { ...said, params: JSON.parse(params) as unknown } : said
      const payload = payloadOf(given)
      const run = session.get().client.run(at.execution.executionId)
      setDecision(await keys.under(payload, (signalId) => run.signal(act, payload, signalId)))
      actsSent.set(actsSent.get() + 1)
    } catch (thrown) {
      setError(thrown)
      setSending(false)
    }
  }
  const target = stepId === undefined ? 'the run' : stepId
  const words = ACT_WORDS[act]
  const title = act === 'UPDATE_PARAMS' ? 'Change the params of the run' : `${words} ${target}`
  return (
    <dialog ref={dialog} className="act" onClose={onClose} aria-label={title}>
      <form onSubmit={(event) => void send(event)}>
        <h2>{title}</h2>
        {decision === undefined ? (
          <>
            <Foreseeing act={act} at={at} said={said} who={who} />
            <Fields act={act} said={said} onSay={setSaid} params={params} onParams={setParams} />
            <p className="quiet">
              {who.actorId} acts on {target}; it is recorded.
            </p>
          </>
        ) : (
          <DecisionNote decision={decision} records={at.history.records} />
        )}
        {error === undefined ? null : <Trouble error={error} />}
        <div className="buttons">
          {decision === undefined ? (
            <button type="submit" className={act === 'CANCEL' ? 'main danger' : 'main'} disabled={isSending}>
              {act === 'UPDATE_PARAMS' ? 'Change them' : title}
            </button>
          ) : null}
          <button type="button" onClick={() => dialog.current?.close()}>
            {decision === undefined ? 'Leave it' : 'Close'}
          </button>
        </div>
      </form>
    </dialog>
  )
}

type ForeseeingProps = Pick<ActDialogProps, 'act' | 'at' | 'who'> & { readonly said: Said }

/** Decided anew when the log has moved or another answer is given. The reason changes nothing in it. */
function Foreseeing({ act, at, said, who }: ForeseeingProps): ReactElement | null {
  const { history, moment, asOf } = at
  const { stepId, undo = false } = said
  const foreseen = useMemo(() => {
    const state = history.stateAt(moment.seq)
    if (state === undefined || history.graph === undefined) return undefined
    // Params are judged by the server; that the run takes them does not depend on what they are.
    const params = act === 'UPDATE_PARAMS' ? {} : undefined
    const signal = signalOf(act, who, { stepId, undo, params, reason: 'foreseen' })
    return foresee(history.graph, state, signal, { now: asOf, epoch: history.epochAt(moment.seq) })
    // The clock alone changes nothing that a person would read.
  }, [history, moment.seq, act, stepId, undo, who])
  return foreseen === undefined ? null : <ForeseenList foreseen={foreseen} />
}

interface FieldsProps {
  readonly act: Act
  readonly said: Said
  readonly onSay: (said: Said) => void
  readonly params: string
  readonly onParams: (text: string) => void
}

function Fields({ act, said, onSay, params, onParams }: FieldsProps): ReactElement {
  const isNeeded = SIGNALS[act].destructive
  return (
    <>
      {act === 'CANCEL' ? (
        <label className="check">
          <input
            type="checkbox"
            checked={said.undo === true}
            onChange={(event) => onSay({ ...said, undo: event.target.checked })}
          />
          Undo what it has done
        </label>
      ) : null}
      {act === 'UPDATE_PARAMS' ? (
        <label>
          Params as JSON
          <textarea rows={5} value={params} spellCheck={false} onChange={(event) => onParams(event.target.value)} />
        </label>
      ) : null}
      <label>
        Reason
        <input
          value={said.reason ?? ''}
          required={isNeeded}
          maxLength={LIMITS.signalReasonChars}
          onChange={(event) => onSay({ ...said, reason: event.target.value })}
        />
      </label>
    </>
  )
}
