/** Two runs of the list are picked, and compared: which, is in the address. */
import type { ReactElement } from 'react'
import { comparePath, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { shortId } from '../shown/words.ts'

export function usePicked(): readonly string[] {
  const text = useAddress().query.get('pick') ?? ''
  return text === '' ? [] : text.split(',')
}

/** Of three, the one that was picked first is let go. */
export function pick(picked: readonly string[], executionId: string): void {
  const next = picked.includes(executionId) ? picked.filter((one) => one !== executionId) : [...picked, executionId]
  setQuery({ pick: next.slice(-2).join(',') })
}

export function PickedRuns({ picked }: { readonly picked: readonly string[] }): ReactElement | null {
  const [first, second] = picked
  if (first === undefined) return null
  return (
    <p className="picked" role="status">
      {second === undefined ? (
        <span className="quiet">run {shortId(first)} is picked; pick another one to compare them</span>
      ) : (
        <Link href={comparePath(first, second)}>
          Compare run {shortId(first)} with run {shortId(second)}
        </Link>
      )}{' '}
      <button type="button" className="small" onClick={() => setQuery({ pick: undefined })}>
        pick none
      </button>
    </p>
  )
}
