/** The steps of both runs: how each went, whether it gave the same, and how much longer or shorter it took. */
import type { ReactElement } from 'react'
import type { StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { runPath, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateMark } from '../shown/state-mark.tsx'
import { stepLook } from '../shown/states.ts'
import { duration, shortId } from '../shown/words.ts'
import type { StepRow, ValueDifference } from './compare-runs.ts'
import type { Ids } from './event-sides.tsx'

export interface CompareStepsProps {
  readonly rows: readonly StepRow[]
  readonly ids: Ids
}

/** A table of more is no table to read: what differs comes first then. */
const SHOWN = 300

export function CompareSteps({ rows, ids }: CompareStepsProps): ReactElement {
  const isOnly = useAddress().query.get('only') === '1'
  const different = rows.filter(({ isSame }) => !isSame)
  const shown = isOnly ? different : rows.length > SHOWN ? [...different, ...rows.filter(({ isSame }) => isSame)] : rows
  const longest = Math.max(1, ...rows.flatMap(({ leftMs = 0, rightMs = 0 }) => [leftMs, rightMs]))
  return (
    <section aria-label="Steps">
      <h2>Steps</h2>
      <label className="check">
        <input
          type="checkbox"
          checked={isOnly}
          onChange={(event) => setQuery({ only: event.target.checked ? '1' : undefined })}
        />
        only what differs ({different.length} of {rows.length})
      </label>
      <div className="scrolls" tabIndex={0} role="region" aria-label="Steps of both runs">
        <table className="fields steps">
          <thead>
            <tr>
              <th scope="col">step</th>
              <th scope="col">here</th>
              <th scope="col">there</th>
              <th scope="col">result</th>
              <th scope="col" className="number">
                took here
              </th>
              <th scope="col" className="number">
                there
              </th>
              <th scope="col" className="number">
                difference
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, SHOWN).map((row) => (
              <Row key={row.stepId} row={row} ids={ids} longest={longest} />
            ))}
          </tbody>
        </table>
        {shown.length > SHOWN ? <p className="quiet">and {shown.length - SHOWN} more</p> : null}
      </div>
    </section>
  )
}

const TAKEN = <span className="quiet">taken over</span>

interface RowProps {
  readonly row: StepRow
  readonly ids: Ids
  readonly longest: number
}

function Row({ row, ids, longest }: RowProps): ReactElement {
  const { stepId, left, right, leftMs, rightMs, result, isSame, isLeftTaken, isRightTaken } = row
  const isComparable = !isLeftTaken && !isRightTaken && leftMs !== undefined && rightMs !== undefined
  return (
    <tr className={isSame ? '' : 'differs'}>
      <th scope="row">
        {isSame ? null : <span title="it differs">≠ </span>}
        {stepId}
      </th>
      <td>
        <Standing step={left} executionId={ids.left} stepId={stepId} />
      </td>
      <td>
        <Standing step={right} executionId={ids.right} stepId={stepId} />
      </td>
      <td>{resultWords(result)}</td>
      <td className="number">{isLeftTaken ? TAKEN : <Took ms={leftMs} longest={longest} />}</td>
      <td className="number">{isRightTaken ? TAKEN : <Took ms={rightMs} longest={longest} />}</td>
      <td className="number">{isComparable ? differenceWords(rightMs - leftMs) : ''}</td>
    </tr>
  )
}

function Standing({
  step,
  executionId,
  stepId,
}: {
  readonly step: StepSnapshot | undefined
  readonly executionId: string
  readonly stepId: string
}): ReactElement {
  if (step === undefined) return <span className="quiet">no such step</span>
  const look = stepLook(step)
  const query = new URLSearchParams({ step: stepId }).toString()
  const tries = step.attempts.length > 1 ? `, ${step.attempts.length} attempts` : ''
  const code = step.status === 'FAILED' && step.error !== undefined ? ` ${step.error.code}` : ''
  return (
    <Link
      href={`${runPath(executionId)}?${query}`}
      aria-label={`${stepId} of run ${shortId(executionId)}: ${look.word}${code}${tries}`}
    >
      <StateMark look={look} size={12} /> {look.word}
      {code}
      {tries}
    </Link>
  )
}

function Took({ ms, longest }: { readonly ms: number | undefined; readonly longest: number }): ReactElement | null {
  if (ms === undefined) return null
  return (
    <span className="took">
      {duration(ms)}
      <span className="took-bar" style={{ width: `${(ms / longest) * 100}%` }} aria-hidden="true" />
    </span>
  )
}

function differenceWords(ms: number): string {
  if (ms === 0) return 'same'
  return ms > 0 ? `+${duration(ms)}` : `−${duration(-ms)}`
}

function resultWords(result: ValueDifference): string {
  if (result.kind === 'none') return ''
  if (result.kind === 'unknown') return 'not known'
  if (result.kind === 'other') return 'another'
  if (result.kind === 'one') return 'only one'
  const [first] = result.fields
  if (first === undefined) return 'same'
  return first.path === '' ? 'another' : `another ${first.path}`
}
