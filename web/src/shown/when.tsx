/** An instant as people say it, with the exact one as its title. */
import type { ReactElement } from 'react'
import { msFromIso } from '../../../src/core/time.ts'
import { ago, ahead } from './words.ts'

export function When({ at, now }: { readonly at: string; readonly now: number }): ReactElement {
  const ms = msFromIso(at)
  return (
    <time dateTime={at} title={at}>
      {ms === undefined ? at : ms > now ? ahead(ms, now) : ago(ms, now)}
    </time>
  )
}
