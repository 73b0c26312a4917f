/** Dead letters as rows, to be chosen and acted on. */
import type { ReactElement } from 'react'
import { setQuery } from '../address/address.ts'
import { ActButton } from '../shown/act-button.tsx'
import { useClock } from '../shown/use-clock.ts'
import { When } from '../shown/when.tsx'
import { EventOfRun } from './event-of-run.tsx'
import type { DeadLetter } from './subscriber-words.ts'

export interface LetterRowsProps {
  readonly letters: readonly DeadLetter[]
  readonly chosen: ReadonlySet<string>
  readonly failed: ReadonlySet<string>
  /** Whose panel is open. */
  readonly open: string | null
  readonly onChoose: (chosen: ReadonlySet<string>) => void
  readonly onRedeliver: (letter: DeadLetter) => void
  readonly onDrop: (letter: DeadLetter) => void
}

export function LetterRows(props: LetterRowsProps): ReactElement {
  const { letters, chosen, onChoose } = props
  const now = useClock(true)
  const isAll = letters.every(({ letterId }) => chosen.has(letterId))
  return (
    <table className="listing letters">
      <thead>
        <tr>
          <th scope="col">
            <input
              type="checkbox"
              aria-label="Choose all"
              checked={isAll}
              onChange={() => onChoose(new Set(isAll ? [] : letters.map(({ letterId }) => letterId)))}
            />
          </th>
          <th scope="col">event</th>
          <th scope="col">error</th>
          <th scope="col" className="wide">
            given up
          </th>
          <th scope="col">what becomes of it</th>
        </tr>
      </thead>
      <tbody>
        {letters.map((letter) => (
          <LetterRow key={letter.letterId} letter={letter} now={now} {...props} />
        ))}
      </tbody>
    </table>
  )
}

function LetterRow({
  letter,
  now,
  chosen,
  failed,
  open,
  onChoose,
  onRedeliver,
  onDrop,
}: LetterRowsProps & { readonly letter: DeadLetter; readonly now: number }): ReactElement {
  const { letterId, error, at, askedAt } = letter
  const isOpen = open === letterId
  const choose = (isChosen: boolean): void => {
    const others = [...chosen].filter((one) => one !== letterId)
    onChoose(new Set(isChosen ? [...others, letterId] : others))
  }
  return (
    <tr className={isOpen ? 'chosen' : undefined}>
      <td>
        <input
          type="checkbox"
          aria-label={`Choose ${letterId}`}
          checked={chosen.has(letterId)}
          onChange={({ target }) => choose(target.checked)}
        />
      </td>
      <td>
        <EventOfRun {...letter} />
      </td>
      <td className="cut">{error === '' ? <span className="quiet">erased with the data of its run</span> : error}</td>
      <td className="wide">
        <When at={at} now={now} />
      </td>
      <td>
        <span className="row-acts">
          <button
            type="button"
            className="small"
            aria-label={`Look at ${letterId}`}
            aria-expanded={isOpen}
            onClick={() => setQuery({ letter: isOpen ? undefined : letterId }, 'step')}
          >
            Look
          </button>
          <ActButton words="Redeliver" needs="SERVER_OPERATE" of={letterId} onClick={() => onRedeliver(letter)} />
          <ActButton words="Drop" needs="SERVER_OPERATE" of={letterId} onClick={() => onDrop(letter)} />
          {askedAt === undefined ? null : (
            <span className="quiet">
              asked for <When at={askedAt} now={now} />
            </span>
          )}
          {failed.has(letterId) ? <span className="hint">failed once more</span> : null}
        </span>
      </td>
    </tr>
  )
}
