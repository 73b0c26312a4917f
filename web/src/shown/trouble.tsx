/** What went wrong, for a person: what, why, what next, with the code and the id under which the server's log has it. */
import type { ReactElement } from 'react'
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import { ServerError } from '../../../src/client/server-error.ts'
import { CopyButton } from './copy-button.tsx'

interface Told {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly correlationId?: string | undefined
}

export function Trouble({ error, retry }: { readonly error: unknown; readonly retry?: () => void }): ReactElement {
  const told = toldOf(error)
  return (
    <div className="trouble" role="alert">
      {told.map(({ code, message, hint }, at) => (
        <p key={at}>
          <code className="code">{code}</code> {message}
          {hint === undefined ? null : <span className="hint"> {hint}</span>}
        </p>
      ))}
      <p className="quiet">
        {told[0]?.correlationId === undefined ? null : (
          <>
            correlation id <code>{told[0].correlationId}</code>{' '}
          </>
        )}
        <CopyButton text={asText(told)} words="copy the error" />
      </p>
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

function toldOf(error: unknown): readonly Told[] {
  if (!(error instanceof KeelsonError)) return [{ code: 'INTERNAL', message: messageOf(error) }]
  const correlationId = error instanceof ServerError ? error.correlationId : undefined
  return error.problems.map(({ code, message, hint }) => ({ code, message, hint, correlationId }))
}

/** For a ticket, or for whoever reads the log of the server. */
function asText(told: readonly Told[]): string {
  const lines = told.map(({ code, message, hint }) => [code, message, hint].filter(Boolean).join(' '))
  const id = told[0]?.correlationId
  return [...lines, ...(id === undefined ? [] : [`correlation id ${id}`])].join('\n')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
