/** What was proved of a bundle in this browser, and what was not. */
import { useState, type ReactElement } from 'react'
import { plural } from '../shown/words.ts'
import { ChooseAnother } from './choose-another.tsx'
import type { BundleProof } from './open-bundle.ts'

interface NoteProps {
  readonly fileName: string
  readonly proof: BundleProof
}

export function BundleNote({ fileName, proof }: NoteProps): ReactElement {
  const { verifiedTo, broken, missing } = proof
  const isWhole = broken === undefined && missing.length === 0
  const [isOpen, setOpen] = useState(false)
  return (
    <section className={`bundle-note ${isWhole ? '' : 'broken'}`} aria-label="The file">
      <p>
        <strong role="status" aria-label="Proof of the file">
          <span aria-hidden="true">{isWhole ? '✓' : '✕'}</span> from file, verified to event {verifiedTo}
        </strong>{' '}
        <code title={fileName}>{fileName}</code>{' '}
        <button type="button" className="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          what was proved
        </button>{' '}
        <ChooseAnother />
      </p>
      {broken === undefined ? null : (
        <p role="alert">
          {placeOf(proof)} {broken.what}. Nothing from there on is shown.
        </p>
      )}
      {missing.length === 0 ? null : (
        <p role="alert">
          The data of {missing.length === 1 ? 'event' : 'events'} {listed(missing)} is gone, and no event says that it
          was erased.
        </p>
      )}
      {isOpen ? <Proof proof={proof} /> : null}
    </section>
  )
}

export function BundleRefused({ fileName, proof: { broken } }: NoteProps): ReactElement {
  return (
    <div className="trouble" role="alert">
      <p>
        <code className="code">BUNDLE_BROKEN</code> {fileName} is not shown: {broken?.what}.
      </p>
      <p className="hint">Export the run again where it is, or get another copy of the file.</p>
    </div>
  )
}

function placeOf({ broken, verifiedTo }: BundleProof): string {
  if (broken?.runSeq !== undefined) return `Event ${broken.runSeq} does not fit:`
  return `After event ${verifiedTo} the file does not fit:`
}

const MOST_LISTED = 20

function listed(numbers: readonly number[]): string {
  const rest = numbers.length - MOST_LISTED
  return `${numbers.slice(0, MOST_LISTED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function Proof({ proof }: { readonly proof: BundleProof }): ReactElement {
  const { lines, verifiedTo, headHash, hasPlan, isPlanOfLog, values, erased, receipts, broken } = proof
  return (
    <div className="proof">
      <div>
        <h3>Proved in this browser</h3>
        <ul>
          <li>
            {broken === undefined ? 'Each of' : 'Of the lines before it each of'} {plural(lines, 'line')} is whole and
            in its place, by the hash that chains the lines.
          </li>
          <li>
            Events 1 to {verifiedTo}: exact bytes, keys, data, and each hash follows from the one before. The last is{' '}
            <code title={headHash}>{headHash.slice(0, 16)}…</code>
            {broken === undefined ? ', the head that the file names' : ''}.
          </li>
          {isPlanOfLog ? <li>The plan is the one whose hash is in the log.</li> : null}
          {values === 0 ? null : <li>{plural(values, 'large value')}: each is what its hash says.</li>}
          {erased.length === 0 ? null : <li>Data of {plural(erased.length, 'event')} was erased, as the log says.</li>}
        </ul>
      </div>
      <div>
        <h3>Not proved here</h3>
        <ul>
          <li>
            Who wrote it. Somebody who writes the whole file again can make all hashes anew; compare the last hash with
            one that you trust.{' '}
            {receipts === 0
              ? 'The file has no signed receipts.'
              : `The file has ${plural(receipts, 'signed receipt')}; their signatures were not checked.`}
          </li>
          {isPlanOfLog ? null : (
            <li>
              {hasPlan
                ? 'That the plan is the one of the run: the log does not name it.'
                : 'The plan: it is not in the file.'}
            </li>
          )}
          <li>That each decision follows from the events before it, and when events were stored.</li>
        </ul>
        <p>
          This proves those too, with a key that you know: <code>keelson verify run.jsonl --key "$KEY"</code>
        </p>
      </div>
    </div>
  )
}
