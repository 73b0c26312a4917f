/** The fork is on record: the way to it. */
import { useEffect, useRef, type ReactElement } from 'react'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { shortId } from '../shown/words.ts'

export function ForkStarted({ executionId }: { readonly executionId: string }): ReactElement {
  const told = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    // It may give a promise, and an effect gives nothing.
    told.current?.scrollIntoView({ block: 'nearest' })
  }, [executionId])
  return (
    <p ref={told} role="status" className="fork-started">
      Started: <Link href={runPath(executionId)}>run {shortId(executionId)}</Link>
    </p>
  )
}
