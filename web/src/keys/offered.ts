/** What the open page offers to whoever asks by keyboard: acts that may be done here, steps that can be selected. */
import { useEffect, useRef } from 'react'
import { Watched } from '../server/watched.ts'

export interface Offered {
  readonly kind: 'act' | 'step'
  readonly words: string
  readonly detail?: string | undefined
  /** Why it may not be done. */
  readonly whyNot?: string | undefined
  readonly go: () => void
}

type Offers = () => readonly Offered[]

/** Asked when somebody looks: a run moves more often than that. */
export const offered = new Watched<Offers>(() => [])

export function useOffers(offers: Offers): void {
  const latest = useRef(offers)
  useEffect(() => {
    latest.current = offers
  })
  useEffect(() => {
    offered.set(() => latest.current())
    return () => offered.set(() => [])
  }, [])
}
