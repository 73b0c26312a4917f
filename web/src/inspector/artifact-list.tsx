/** Artifacts: what they are, how long, under which hash; a safe look at those that the server keeps, and their bytes as a file. */
import { useState, type ReactElement } from 'react'
import type { ArtifactRef } from '../../../src/core/events/event.ts'
import { msFromIso } from '../../../src/core/time.ts'
import { useWhyNot } from '../server/may.ts'
import { CopyButton } from '../shown/copy-button.tsx'
import { useClock } from '../shown/use-clock.ts'
import { Trouble } from '../shown/trouble.tsx'
import { shortId, sizeOf } from '../shown/words.ts'
import { artifactBytes, saveAs } from './artifact-bytes.ts'
import { artifactName, isKeptHere, MOST_BYTES } from './artifact-kind.ts'
import { ArtifactPreview } from './artifact-preview.tsx'

export interface ArtifactListProps {
  readonly executionId: string
  readonly artifacts: readonly ArtifactRef[]
}

export function ArtifactList({ executionId, artifacts }: ArtifactListProps): ReactElement {
  return (
    <ul className="artifacts" aria-label="Artifacts">
      {artifacts.map((artifact, at) => (
        <Artifact key={`${at} ${artifact.uri}`} executionId={executionId} artifact={artifact} />
      ))}
    </ul>
  )
}

interface ArtifactProps {
  readonly executionId: string
  readonly artifact: ArtifactRef
}

function Artifact({ executionId, artifact }: ArtifactProps): ReactElement {
  const { kind, uri, sha256, sizeBytes, expiresAt } = artifact
  const name = artifactName(artifact)
  const now = useClock(false)
  const isExpired = expiresAt !== undefined && (msFromIso(expiresAt) ?? now) <= now
  return (
    <li>
      <p>
        <strong>{name}</strong> <span className="quiet">{kind}</span>
        {sizeBytes === undefined ? null : <span className="quiet"> · {sizeOf(sizeBytes)}</span>}
        {isExpired ? <span className="hint"> · it may be gone since {expiresAt}</span> : null}
      </p>
      {sha256 === undefined ? (
        <p className="quiet">
          <code>{uri}</code>
        </p>
      ) : (
        <p className="quiet">
          sha256 <code title={sha256}>{shortId(sha256)}…</code> <CopyButton text={sha256} words="copy the hash" />
        </p>
      )}
      {isKeptHere(artifact) && sha256 !== undefined ? (
        <ArtifactActs executionId={executionId} sha256={sha256} name={name} sizeBytes={sizeBytes} />
      ) : (
        <p className="quiet">It is kept elsewhere; this page does not follow addresses.</p>
      )}
    </li>
  )
}

interface ActsProps {
  readonly executionId: string
  readonly sha256: string
  readonly name: string
  readonly sizeBytes: number | undefined
}

function ArtifactActs({ executionId, sha256, name, sizeBytes = 0 }: ActsProps): ReactElement {
  const whyNot = useWhyNot('ARTIFACT_READ')
  const [shown, setShown] = useState<Uint8Array>()
  const [error, setError] = useState<unknown>()
  const [isAsking, setAsking] = useState(false)
  const ask = async (take: (bytes: Blob) => unknown): Promise<void> => {
    setAsking(true)
    setError(undefined)
    try {
      await take(await artifactBytes(executionId, sha256))
    } catch (thrown) {
      setError(thrown)
    }
    setAsking(false)
  }
  const look = async (bytes: Blob): Promise<void> => setShown(new Uint8Array(await bytes.arrayBuffer()))
  const isLong = sizeBytes > MOST_BYTES
  return (
    <>
      <p className="artifact-acts">
        <button
          type="button"
          className="small"
          disabled={whyNot !== undefined || isLong || isAsking}
          title={whyNot ?? (isLong ? 'It is too long to be shown here.' : 'Who looks is recorded.')}
          aria-label={`${shown === undefined ? 'Show' : 'Hide'} ${name}`}
          onClick={() => (shown === undefined ? void ask(look) : setShown(undefined))}
        >
          {shown === undefined ? 'show' : 'hide'}
        </button>
        <button
          type="button"
          className="small"
          disabled={whyNot !== undefined || isAsking}
          title={whyNot ?? 'Who takes it is recorded.'}
          aria-label={`Download ${name}`}
          onClick={() => void ask((bytes) => saveAs(bytes, name))}
        >
          download
        </button>
      </p>
      {error === undefined ? null : <Trouble error={error} />}
      {shown === undefined ? null : <ArtifactPreview bytes={shown} name={name} />}
    </>
  )
}
