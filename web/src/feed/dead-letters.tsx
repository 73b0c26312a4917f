/** What a subscriber could not be given: to be looked at, delivered once more, or given up. */
import { useState, type ReactElement } from 'react'
import { setQuery, useAddress } from '../address/address.ts'
import { useAsked } from '../server/use-asked.ts'
import { ActButton } from '../shown/act-button.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { plural } from '../shown/words.ts'
import { DropDialog } from './drop-dialog.tsx'
import { LetterPanel } from './letter-panel.tsx'
import { LetterRows } from './letter-rows.tsx'
import { RedeliverDialog } from './redeliver-dialog.tsx'
import { outcomesOf, type Asked } from './redelivery.ts'
import type { DeadLetter } from './subscriber-words.ts'

export interface DeadLettersProps {
  readonly subscriber: string
  /** How many there are; fewer may be shown. */
  readonly total: number
  readonly onChanged: () => void
}

const SHOWN = 100
const MOST = 1_000

export function DeadLetters({ subscriber, total, onChanged }: DeadLettersProps): ReactElement {
  const limit = useAddress().query.get('all') === null ? SHOWN : MOST
  const { value, error, again } = useAsked(`letters ${limit} ${subscriber}`, (client, signal) =>
    client.call('listDeadLetters', { params: { subscriber }, query: { limit }, signal }),
  )
  return (
    <section aria-label="Dead letters">
      <h2>Dead letters</h2>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {value === undefined ? (
        <p className="quiet">{error === undefined ? 'Loading …' : ''}</p>
      ) : (
        <Letters
          subscriber={subscriber}
          letters={value.deadLetters}
          told={toldOf(value.deadLetters.length, total)}
          hasMore={total > SHOWN && limit === SHOWN}
          onChanged={() => {
            again()
            onChanged()
          }}
        />
      )}
    </section>
  )
}

function toldOf(shown: number, total: number): string {
  if (total > shown) return `The oldest ${shown} of ${plural(total, 'dead letter')}.`
  return `${plural(shown, 'dead letter')}, oldest first.`
}

interface LettersProps {
  readonly subscriber: string
  readonly letters: readonly DeadLetter[]
  readonly told: string
  readonly hasMore: boolean
  readonly onChanged: () => void
}

function Letters({ subscriber, letters, told, hasMore, onChanged }: LettersProps): ReactElement {
  const open = useAddress().query.get('letter')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [redelivered, setRedelivered] = useState<readonly DeadLetter[]>()
  const [dropped, setDropped] = useState<DeadLetter>()
  const [asked, setAsked] = useState<Asked>(new Map())
  const outcomes = outcomesOf(asked, letters)
  const wereAsked = (ids: readonly string[]): void => {
    setAsked(new Map([...asked, ...ids.map((letterId) => [letterId, letters] as const)]))
    setChosen(new Set())
    onChanged()
  }
  const wasDropped = (letterId: string): void => {
    setAsked(new Map([...asked].filter(([one]) => one !== letterId)))
    if (open === letterId) setQuery({ letter: undefined }, 'step')
    onChanged()
  }
  return (
    <>
      <p role="status" aria-label="Redelivery">
        {outcomes.words}
      </p>
      {letters.length === 0 ? (
        <p className="quiet">
          None. An event on which a delivery has failed for the last time lies here until somebody decides what becomes
          of it.
        </p>
      ) : (
        <LettersBar letters={letters} chosen={chosen} told={told} hasMore={hasMore} onRedeliver={setRedelivered} />
      )}
      {open === null ? null : <LetterPanel key={open} subscriber={subscriber} letterId={open} />}
      {letters.length === 0 ? null : (
        <LetterRows
          letters={letters}
          chosen={chosen}
          failed={outcomes.failed}
          open={open}
          onChoose={setChosen}
          onRedeliver={(letter) => setRedelivered([letter])}
          onDrop={setDropped}
        />
      )}
      {redelivered === undefined ? null : (
        <RedeliverDialog
          subscriber={subscriber}
          letters={redelivered}
          onAsked={wereAsked}
          onClose={() => setRedelivered(undefined)}
        />
      )}
      {dropped === undefined ? null : (
        <DropDialog
          subscriber={subscriber}
          letter={dropped}
          onDropped={wasDropped}
          onClose={() => setDropped(undefined)}
        />
      )}
    </>
  )
}

interface LettersBarProps extends Pick<LettersProps, 'letters' | 'told' | 'hasMore'> {
  readonly chosen: ReadonlySet<string>
  readonly onRedeliver: (letters: readonly DeadLetter[]) => void
}

function LettersBar({ letters, chosen, told, hasMore, onRedeliver }: LettersBarProps): ReactElement {
  const chosenHere = letters.filter(({ letterId }) => chosen.has(letterId))
  const [words, meant] =
    chosenHere.length === 0
      ? [`Redeliver all ${letters.length}`, letters]
      : [`Redeliver ${chosenHere.length}`, chosenHere]
  return (
    <div className="row-acts">
      <ActButton words={words} needs="SERVER_OPERATE" onClick={() => onRedeliver(meant)} />
      <span className="quiet">{told}</span>
      {hasMore ? (
        <button type="button" className="small" onClick={() => setQuery({ all: '1' }, 'step')}>
          Show up to {MOST.toLocaleString('en')}
        </button>
      ) : null}
    </div>
  )
}
