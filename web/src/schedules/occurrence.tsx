/** An occurrence by the clocks of its schedule's zone, with the exact instant as its title. */
import type { ReactElement } from 'react'
import { inZone } from './schedule-words.ts'

export function Occurrence({ at, zone }: { readonly at: string; readonly zone: string | undefined }): ReactElement {
  return (
    <time dateTime={at} title={at}>
      {inZone(at, zone)}
    </time>
  )
}
