/** The form of a fork. From where and onto which version is in the address; the input is the old one until it is changed. */
import { useMemo, useState, type FormEvent, type ReactElement } from 'react'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { useAddress } from '../address/address.ts'
import { inputFields } from '../plans/input-fields.ts'
import { useWhyNot, useWhyNotSend } from '../server/may.ts'
import { useRequestKeys } from '../server/request-keys.ts'
import { session } from '../server/session.ts'
import { Trouble } from '../shown/trouble.tsx'
import { ForkFrom } from './fork-from.tsx'
import { ForkInput, type WrittenInput } from './fork-input-form.tsx'
import { textsOf } from './fork-input.ts'
import { ForkPreview } from './fork-preview.tsx'
import { ForkStarted } from './fork-started.tsx'
import type { OldRun } from './load-fork.ts'
import { useForkPreview, type ForkBody } from './use-fork-preview.ts'

export interface ForkFormProps {
  readonly old: OldRun
  /** Of the fork. */
  readonly plan: Plan
  /** Undefined: as the old run had it. */
  readonly version: string | undefined
}

export function ForkForm({ old, plan, version }: ForkFormProps): ReactElement {
  const { executionId, planId } = old.execution
  const [written, setWritten] = useState<WrittenInput>()
  const [how, setHow] = useState({ newChildren: false, repeatIrreversible: false })
  const body = useForkBody(written, version === undefined ? {} : { planId, planVersion: version }, how.newChildren)
  const { preview, error: refused } = useForkPreview(executionId, body)
  const { isSending, error, started, send } = useSending(executionId)
  const mayNotStart = useWhyNot('RUN_START')
  const mayNotRetry = useWhyNotSend('RETRY_RUN')
  const whyNot = mayNotStart ?? mayNotRetry
  const fields = useMemo(() => inputFields(plan.inputs), [plan])
  const known = old.input.kind === 'known' ? old.input.value : undefined
  const texts = useMemo(() => textsOf(fields, known), [fields, known])
  const from = body?.from
  const doubtful = (preview?.repeats ?? []).filter(({ effect, stepId }) => effect === 'irreversible' && stepId !== from)
  const start = (event: FormEvent): void => {
    event.preventDefault()
    if (body !== undefined) void send({ ...body, ...(how.repeatIrreversible ? { repeatIrreversible: true } : {}) })
  }
  return (
    <form className="fork-form" onSubmit={start}>
      <div>
        <ForkFrom old={old} plan={plan} version={version} />
        <ForkInput fields={fields} texts={texts} recorded={old.input} written={written} onWrite={setWritten} />
        <label className="check">
          <input
            type="checkbox"
            checked={how.newChildren}
            onChange={(event) => setHow({ ...how, newChildren: event.target.checked })}
          />
          Child plans as they are published now
        </label>
      </div>
      <section aria-label="What the fork does" aria-live="polite">
        <h2>what the fork does</h2>
        {refused === undefined ? null : <Trouble error={refused} />}
        {preview === undefined ? (
          <p className="quiet">{refused === undefined ? '…' : ''}</p>
        ) : (
          <ForkPreview preview={preview} />
        )}
        {doubtful.length === 0 ? null : (
          <label className="check">
            <input
              type="checkbox"
              required
              checked={how.repeatIrreversible}
              onChange={(event) => setHow({ ...how, repeatIrreversible: event.target.checked })}
            />
            Repeat what cannot be undone: {doubtful.map(({ stepId }) => stepId).join(', ')}
          </label>
        )}
        {error === undefined ? null : <Trouble error={error} />}
        {started === undefined ? null : <ForkStarted executionId={started} />}
        <div className="buttons">
          <button
            type="submit"
            className="main"
            title={whyNot}
            disabled={isSending || whyNot !== undefined || preview === undefined}
          >
            Start the fork
          </button>
        </div>
      </section>
    </form>
  )
}

/** Undefined while what is written is no JSON. */
function useForkBody(
  written: WrittenInput | undefined,
  plan: Pick<ForkBody, 'planId' | 'planVersion'>,
  newChildren: boolean,
): ForkBody | undefined {
  const { query } = useAddress()
  if (written !== undefined && 'problem' in written) return undefined
  const from = query.get('from')
  const atSeq = Number(query.get('atSeq') ?? 0)
  return {
    ...(from === null ? {} : { from }),
    ...(Number.isSafeInteger(atSeq) && atSeq > 0 ? { atSeq } : {}),
    ...plan,
    ...(written === undefined ? {} : { input: written.input }),
    ...(newChildren ? { newChildren } : {}),
  }
}

interface Sending {
  readonly isSending: boolean
  readonly error: unknown
  readonly started: string | undefined
  readonly send: (body: ForkBody) => Promise<void>
}

function useSending(executionId: string): Sending {
  const [state, setState] = useState<Omit<Sending, 'send'>>({ isSending: false, error: undefined, started: undefined })
  // Sent again after an answer that got lost, it starts one run; once it has started, the next one is another.
  const keys = useRequestKeys()
  const send = async (body: ForkBody): Promise<void> => {
    setState({ isSending: true, error: undefined, started: undefined })
    try {
      const old = session.get().client.run(executionId)
      const run = await keys.under(body, (idempotencyKey) => old.fork(body, { idempotencyKey }))
      setState({ isSending: false, error: undefined, started: run.executionId })
    } catch (error) {
      setState({ isSending: false, error, started: undefined })
    }
  }
  return { ...state, send }
}
