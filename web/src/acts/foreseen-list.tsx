/** What an act would do, in words, with the events that it would write. */
import type { ReactElement } from 'react'
import type { Foreseen } from './foresee.ts'

export interface ForeseenListProps {
  readonly foreseen: Foreseen
  readonly title?: string
}

export function ForeseenList({ foreseen, title = 'what will happen' }: ForeseenListProps): ReactElement {
  const { refusal, atOnce, later, ends } = foreseen
  if (refusal !== undefined)
    return (
      <p role="note">
        It would be refused: <code className="code">{refusal.code}</code> {refusal.why}
      </p>
    )
  const lines = linesOf(foreseen)
  return (
    <section className="foreseen" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
        {ends === undefined ? null : <li>the run ends {ends}</li>}
        {lines.length === 0 && ends === undefined ? <li>no step starts or stops</li> : null}
      </ul>
      <details>
        <summary>{atOnce.length + later.length} events</summary>
        <ol>
          {[...atOnce, ...later].map(({ eventType, slot }, index) => (
            <li key={index} value={index + 1}>
              <code>{eventType}</code> <span className="quiet">{index < atOnce.length ? slot : `${slot}, later`}</span>
            </li>
          ))}
        </ol>
      </details>
    </section>
  )
}

const SHOWN = 12

function named(slots: readonly string[]): string {
  const more = slots.length - SHOWN
  return slots.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function linesOf({ starts, repeats, stops, undoes, closesTasks, asks }: Foreseen): readonly string[] {
  const line = (words: string, slots: readonly string[]): readonly string[] =>
    slots.length === 0 ? [] : [`${words}: ${named(slots)}`]
  return [
    ...line('starts', starts),
    ...line(
      'its effect may happen a second time',
      repeats.map(({ slot, effect }) => `${slot} (${effect})`),
    ),
    ...line('is asked to stop', stops),
    ...line('undone, in this order', undoes),
    ...line('closes the task', closesTasks),
    ...line('decided next, by a condition or a mapping', asks),
  ]
}
