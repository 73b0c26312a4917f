/** The fields of a schedule's form that say when it comes, and what becomes of what meets or was missed. */
import type { ReactElement } from 'react'
import { LIMITS } from '../../../src/core/limits.ts'
import { CATCH_UPS } from '../../../src/core/schedule/owed.ts'
import { OVERLAPS } from '../../../src/core/schedule/definition.ts'
import type { ScheduleDraft } from './schedule-draft.ts'
import { CATCH_UP_WORDS, OVERLAP_WORDS } from './schedule-words.ts'

export interface FieldsProps {
  readonly draft: ScheduleDraft
  readonly say: (change: Partial<ScheduleDraft>) => void
  /** The names of the fields that the server refuses. */
  readonly wrong: ReadonlySet<string>
}

const ZONES = 'known-zones'

export function WhenFields({ draft, say, wrong }: FieldsProps): ReactElement {
  return (
    <fieldset>
      <legend>When</legend>
      <label>
        <input type="radio" name="by" checked={draft.by === 'cron'} onChange={() => say({ by: 'cron' })} />
        by a cron line
      </label>
      <label>
        <input type="radio" name="by" checked={draft.by === 'every'} onChange={() => say({ by: 'every' })} />
        after each time
      </label>
      {draft.by === 'cron' ? (
        <>
          <TextField
            name="cron"
            words="Minute, hour, day, month, weekday"
            hint="30 2 * * 1-5"
            {...{ draft, say, wrong }}
          />
          <TextField name="zone" words="Time zone" hint="Europe/Berlin" list={ZONES} {...{ draft, say, wrong }} />
          <datalist id={ZONES}>
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone} value={zone} aria-label={zone} />
            ))}
          </datalist>
        </>
      ) : (
        <TextField name="every" words="After each" hint="15m, 2h, 1d" {...{ draft, say, wrong }} />
      )}
    </fieldset>
  )
}

interface TextFieldProps extends FieldsProps {
  readonly name: 'cron' | 'zone' | 'every'
  readonly words: string
  readonly hint: string
  readonly list?: string
}

function TextField({ name, words, hint, list, draft, say, wrong }: TextFieldProps): ReactElement {
  return (
    <label className="field">
      {words}
      <input
        required
        className="exact"
        list={list}
        value={draft[name]}
        placeholder={hint}
        aria-invalid={wrong.has(name)}
        spellCheck={false}
        onChange={(event) => say({ [name]: event.target.value })}
      />
    </label>
  )
}

export function HowFields({ draft, say, wrong }: FieldsProps): ReactElement {
  return (
    <>
      <label className="field">
        While the run before goes on
        <select
          value={draft.overlap}
          onChange={(event) => say({ overlap: event.target.value as ScheduleDraft['overlap'] })}
        >
          {OVERLAPS.map((one) => (
            <option key={one} value={one}>
              {OVERLAP_WORDS[one]}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        Of what was missed while no server ran, start
        <select
          value={draft.catchUp}
          onChange={(event) => say({ catchUp: event.target.value as ScheduleDraft['catchUp'] })}
        >
          {CATCH_UPS.map((one) => (
            <option key={one} value={one}>
              {CATCH_UP_WORDS[one]}
            </option>
          ))}
        </select>
      </label>
      {draft.catchUp === 'all' ? (
        <label className="field">
          At most, the newest
          <input
            type="number"
            min={1}
            max={LIMITS.scheduleCatchUp}
            value={draft.catchUpMax}
            placeholder="100"
            onChange={(event) => say({ catchUpMax: event.target.value })}
          />
        </label>
      ) : null}
      <label className="field">
        Later by up to, each by its own time
        <input
          className="exact"
          value={draft.jitter}
          placeholder="none, or 5m"
          aria-invalid={wrong.has('jitter')}
          onChange={(event) => say({ jitter: event.target.value })}
        />
      </label>
    </>
  )
}
