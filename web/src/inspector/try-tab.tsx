/**
 * An expression tried out over the values that the run had on record at the cursor. The server evaluates it, by the same evaluator and
 * within the same bounds as those of the plan: long values are only there, and an expression of a stranger runs nowhere in the page.
 */
import { useMemo, useState, type FormEvent, type ReactElement } from 'react'
import { LIMITS } from '../../../src/core/limits.ts'
import { setQuery, useAddress } from '../address/address.ts'
import type { At } from '../history/at.ts'
import { session } from '../server/session.ts'
import { JsonValue } from '../shown/json-value.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { completions, seenBy } from './completions.ts'
import { expressionsOf, stepOfSlot } from './slot-plan.ts'

export interface TryTabProps {
  readonly at: At
  /** Undefined: as the output of the run sees them. */
  readonly slot?: string | undefined
}

interface Tried {
  readonly expression: string
  readonly at: number
  readonly value: unknown
  readonly isTrue: boolean
}

export function TryTab({ at, slot }: TryTabProps): ReactElement {
  const text = useAddress().query.get('expr') ?? ''
  const { history, moment } = at
  // A cursor that is dragged over a long log does not gather its values with every picture.
  const [isWriting, setWriting] = useState(false)
  const seen = useMemo(
    () => (isWriting ? seenBy(history, moment.seq, slot) : {}),
    [isWriting, history, moment.seq, slot],
  )
  const { tried, error, isAsking, ask } = useTrying(at, slot)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    void ask(text)
  }
  const list = `completions of ${slot ?? 'the run'}`.replaceAll(/\W/g, '-')
  const own = slot === undefined ? [] : expressionsOf(stepOfSlot(history, slot), slot)
  return (
    <form className="try" onSubmit={send} aria-label="Try an expression">
      <label>
        <span className="sr-only">Expression</span>
        <input
          list={list}
          value={text}
          required
          onFocus={() => setWriting(true)}
          onBlur={() => setWriting(false)}
          autoComplete="off"
          spellCheck={false}
          maxLength={LIMITS.expressionChars}
          placeholder="input.items[?qty > `1`].id"
          onChange={(event) => setQuery({ expr: event.target.value })}
        />
      </label>
      <datalist id={list}>
        {completions(text, seen).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </datalist>
      <button type="submit" disabled={isAsking}>
        Evaluate
      </button>
      <p className="quiet">
        Over what was on record after event {moment.seq}
        {slot === undefined ? '' : `, as ${slot} sees it`}. Nothing is changed by it.
      </p>
      {own.length === 0 ? null : (
        <p className="own">
          <span className="quiet">in the plan: </span>
          {own.map((expression) => (
            <button key={expression} type="button" className="small" onClick={() => setQuery({ expr: expression })}>
              {expression}
            </button>
          ))}
        </p>
      )}
      {error === undefined ? null : <Trouble error={error} />}
      {tried === undefined ? null : (
        <div role="status">
          <p>
            <code>{tried.expression}</code>{' '}
            <span className="quiet">
              after event {tried.at}; as a condition it {tried.isTrue ? 'holds' : 'does not hold'}
            </span>
          </p>
          <JsonValue value={tried.value} label="value of the expression" />
        </div>
      )}
    </form>
  )
}

function useTrying(at: At, slot: string | undefined) {
  const [state, setState] = useState<{ readonly tried?: Tried; readonly error?: unknown; readonly isAsking: boolean }>({
    isAsking: false,
  })
  const ask = async (expression: string): Promise<void> => {
    setState({ isAsking: true })
    const { executionId } = at.execution
    const query = { expression, at: at.moment.seq, ...(slot === undefined ? {} : { step: slot }) }
    try {
      const found = await session.get().client.call('tryExpression', { params: { executionId }, query })
      setState({ tried: { ...found, expression }, isAsking: false })
    } catch (error) {
      setState({ error, isAsking: false })
    }
  }
  return { ...state, ask }
}
