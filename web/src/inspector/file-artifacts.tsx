/** Artifacts of a run from a file: what the log says of them. Their bytes are with the server. */
import type { ReactElement } from 'react'
import type { StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'

export function FileArtifacts({ artifacts }: Pick<StepSnapshot, 'artifacts'>): ReactElement {
  return (
    <ul className="artifacts" aria-label="Artifacts">
      {artifacts.map(({ uri, kind, sha256 }, at) => (
        <li key={`${at} ${uri}`}>
          <span className="quiet">{kind}</span> <code>{uri}</code>
          {sha256 === undefined ? null : <code className="quiet"> sha256 {sha256}</code>}
        </li>
      ))}
    </ul>
  )
}
