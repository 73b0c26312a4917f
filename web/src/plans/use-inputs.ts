/** The fields of a plan's inputs, for who keeps an input for it. */
import { useEffect, useState } from 'react'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { inputFields, type InputField } from './input-fields.ts'

export interface PlanInputs {
  readonly isRead: boolean
  /** Undefined where its input is no object of named fields. */
  readonly fields?: readonly InputField[] | undefined
}

/** A plan that cannot be read has no fields: its input is written as JSON. */
export function useInputs(planId: string, planVersion: string): PlanInputs {
  const { client } = useWatched(sessions)
  const of = `${planId} ${planVersion}`
  const [read, setRead] = useState<PlanInputs & { readonly of: string }>({ of: '', isRead: false })
  useEffect(() => {
    const leaving = new AbortController()
    const query = planVersion === '' ? {} : { version: planVersion }
    if (planId !== '')
      client.call('getPlan', { params: { planId }, query, signal: leaving.signal }).then(
        ({ inputs }) => setRead({ of, isRead: true, fields: inputFields(inputs) }),
        () => (leaving.signal.aborted ? undefined : setRead({ of, isRead: true })),
      )
    return () => leaving.abort()
  }, [client, of])
  return read.of === of ? read : { isRead: false }
}
