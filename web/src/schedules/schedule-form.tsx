/** Makes a schedule, or says anew what one starts and when. The server tells while one types when it would come. */
import { useState, type FormEvent, type ReactElement } from 'react'
import { PlanChoice } from '../plans/plan-choice.tsx'
import { useInputs } from '../plans/use-inputs.ts'
import { session } from '../server/session.ts'
import { Trouble } from '../shown/trouble.tsx'
import { ComingList, useComing, wrongFields } from './coming.tsx'
import { InputEditor } from './input-editor.tsx'
import { writtenInput, type MappedInput } from './mapped-input.ts'
import { HowFields, WhenFields } from './schedule-fields.tsx'
import { definitionOf, draftOf, newDraft, timesOf, type Schedule, type ScheduleDraft } from './schedule-draft.ts'

export interface ScheduleFormProps {
  /** Absent: a new one. */
  readonly schedule?: Schedule
  readonly onDone: (scheduleId: string) => void
  readonly onClose: () => void
}

export function ScheduleForm({ schedule, onDone, onClose }: ScheduleFormProps): ReactElement {
  const [draft, setDraft] = useState(() => (schedule === undefined ? newDraft() : draftOf(schedule)))
  const [input, setInput] = useState<MappedInput>(() => inputOf(schedule))
  const [error, setError] = useState<unknown>()
  const [isSending, setSending] = useState(false)
  const times = timesOf(draft)
  const coming = useComing(times)
  const { fields, isRead } = useInputs(draft.planId, draft.planVersion)
  const say = (change: Partial<ScheduleDraft>): void => setDraft({ ...draft, ...change })
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setSending(true)
    setError(undefined)
    try {
      await keep(schedule, draft, writtenInput(fields, input))
      onDone(draft.scheduleId)
    } catch (thrown) {
      setError(thrown)
      setSending(false)
    }
  }
  const name = schedule === undefined ? 'New schedule' : `Edit ${schedule.scheduleId}`
  return (
    <form className="operate-form starts-form" aria-label={name} onSubmit={(event) => void send(event)}>
      {schedule === undefined ? <NameField draft={draft} say={say} /> : null}
      <PlanChoice
        planId={draft.planId}
        planVersion={draft.planVersion}
        onChange={(planId, planVersion) => say({ planId, planVersion })}
      />
      <WhenFields draft={draft} say={say} wrong={wrongFields(coming.error ?? error)} />
      {times === undefined ? null : <ComingList coming={coming} times={times} />}
      {isRead ? (
        <fieldset>
          <legend>Input</legend>
          <p className="quiet">
            In it <code>{'${input.at}'}</code> is the instant of the occurrence, <code>{'${input.scheduleId}'}</code>{' '}
            the name of the schedule.
          </p>
          <InputEditor fields={fields} input={input} onChange={setInput} />
        </fieldset>
      ) : null}
      <HowFields draft={draft} say={say} wrong={wrongFields(error)} />
      {schedule === undefined ? null : <p className="quiet">Its occurrences begin at now; what has run stays.</p>}
      {error === undefined ? null : <Trouble error={error} />}
      <div className="buttons">
        <button type="submit" className="main" disabled={isSending}>
          {schedule === undefined ? 'Make the schedule' : 'Change it'}
        </button>
        <button type="button" onClick={onClose}>
          Leave it
        </button>
      </div>
    </form>
  )
}

/** What was said before is shown as it was said; a plan's own defaults are for a new one. */
function inputOf(schedule: Schedule | undefined): MappedInput {
  if (schedule === undefined) return { values: {} }
  return { values: {}, json: schedule.input === undefined ? '' : JSON.stringify(schedule.input, null, 2) }
}

async function keep(schedule: Schedule | undefined, draft: ScheduleDraft, input: unknown): Promise<void> {
  const { client } = session.get()
  const { scheduleId } = draft
  const definition = definitionOf(draft, input)
  if (schedule === undefined) await client.call('createSchedule', { body: { scheduleId, ...definition } })
  else await client.call('updateSchedule', { params: { scheduleId }, body: definition })
}

interface NameFieldProps {
  readonly draft: ScheduleDraft
  readonly say: (change: Partial<ScheduleDraft>) => void
}

function NameField({ draft, say }: NameFieldProps): ReactElement {
  return (
    <label className="field">
      Name
      <input
        required
        pattern="[A-Za-z0-9][A-Za-z0-9_.\-]{0,127}"
        title="Letters, digits, _ . and -"
        value={draft.scheduleId}
        placeholder="nightly"
        onChange={(event) => say({ scheduleId: event.target.value })}
      />
    </label>
  )
}
