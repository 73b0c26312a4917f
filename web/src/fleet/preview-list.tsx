/** A preview for a person: how many runs, what becomes of them, and which would refuse and why. */
import type { ReactElement } from 'react'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { plural, shortId } from '../shown/words.ts'
import type { Preview } from './use-preview.ts'

export function PreviewList({ preview }: { readonly preview: Preview }): ReactElement {
  const { matched, examined, wouldApply, wouldChangeNothing, wouldWait, refused, sample } = preview
  const refusing = sample.filter(({ would }) => would === 'refuse')
  const rows: readonly (readonly [string, number])[] = [
    ['would take it', wouldApply],
    ['are so already', wouldChangeNothing],
    ['would wait for a second person', wouldWait],
    ...Object.entries(refused).map(([code, runs]) => [`would refuse: ${code}`, runs] as const),
  ]
  return (
    <section aria-label="What it would do">
      <p>
        <strong>{plural(matched, 'run')}</strong> {matched === 1 ? 'matches' : 'match'}
        {examined < matched ? `; the first ${examined} were looked at` : ''}.
      </p>
      <dl className="fleet-counts">
        {rows
          .filter(([, runs]) => runs > 0)
          .map(([words, runs]) => (
            <div key={words}>
              <dt>{words}</dt>
              <dd className="number">{runs.toLocaleString('en')}</dd>
            </div>
          ))}
      </dl>
      {refusing.length === 0 ? null : (
        <ul className="fleet-refusing" aria-label="Runs that would refuse">
          {refusing.map(({ executionId, planId, code, reason }) => (
            <li key={executionId}>
              <Link href={runPath(executionId)}>
                {planId} {shortId(executionId)}
              </Link>{' '}
              {reason ?? code}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
