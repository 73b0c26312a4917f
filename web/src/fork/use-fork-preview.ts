/** What the server says a fork would do: asked when what is asked for has stood still for a moment. */
import { useEffect, useState } from 'react'
import type { BodyOf } from '../../../src/core/api/contract.ts'
import type { forkExecution } from '../../../src/core/api/acts.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import type { Previewed } from './fork-preview.tsx'

export type ForkBody = BodyOf<typeof forkExecution>

export interface ForkTold {
  /** Of what is asked for now; undefined while it is not known. */
  readonly preview?: Previewed
  readonly error?: unknown
}

const STILL_MS = 400

/** Undefined: what is written is no input. */
export function useForkPreview(executionId: string, body: ForkBody | undefined): ForkTold {
  const { client } = useWatched(sessions)
  const asked = body === undefined ? undefined : JSON.stringify(body)
  const [told, setTold] = useState<ForkTold & { readonly asked?: string }>({})
  useEffect(() => {
    if (asked === undefined) return undefined
    const leaving = new AbortController()
    const given = { params: { executionId }, query: { preview: true }, signal: leaving.signal }
    const timer = setTimeout(() => {
      client.call('forkExecution', { ...given, body: JSON.parse(asked) as ForkBody }).then(
        (preview) => setTold({ asked, preview: preview as unknown as Previewed }),
        (error: unknown) => leaving.signal.aborted || setTold({ asked, error }),
      )
    }, STILL_MS)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [client, executionId, asked])
  return told.asked === asked ? told : {}
}
