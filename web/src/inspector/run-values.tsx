/** What the run was given and gave back, as its log has it at the moment. */
import type { ReactElement } from 'react'
import type { At } from '../history/at.ts'
import { inputOf, recordedIn, type Recorded } from '../history/recorded.ts'
import { JsonValue } from '../shown/json-value.tsx'

export function RunValues({ at: { history, moment } }: { readonly at: At }): ReactElement {
  const ended = history.runMoves.findLast(
    ({ runSeq, eventType }) => runSeq <= moment.seq && eventType === 'RunCompleted',
  )
  const output = ended === undefined ? undefined : recordedIn(ended, 'output', 'outputRef', undefined)
  return (
    <>
      <Value name="input" recorded={inputOf(history.records)} />
      {output === undefined || (output.kind === 'known' && output.value === undefined) ? null : (
        <Value name="output" recorded={output} />
      )}
    </>
  )
}

function Value({ name, recorded }: { readonly name: 'input' | 'output'; readonly recorded: Recorded }): ReactElement {
  return (
    <section className="run-value" aria-label={`The ${name} of the run`}>
      <h3>{name}</h3>
      {recorded.kind === 'known' ? (
        isEmpty(recorded.value) ? (
          <p className="quiet">{'{}'}</p>
        ) : (
          <JsonValue value={recorded.value} label={`${name} of the run`} />
        )
      ) : (
        <p className="quiet">
          {recorded.kind === 'erased' ? 'It was erased.' : `It is kept beside the log: ${recorded.sizeBytes} bytes.`}
        </p>
      )}
    </section>
  )
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}
