/** The same acts for whoever asks by keyboard. */
import type { ReadFilter } from '../../../src/core/filter/run-filter.ts'
import { setQuery } from '../address/address.ts'
import type { Offered } from '../keys/offered.ts'
import { FLEET_ACTS, whyNotForAll } from './fleet-acts.ts'

export function fleetOffers(filter: ReadFilter): readonly Offered[] {
  const whyNot = whyNotForAll(filter)
  return FLEET_ACTS.map(({ signalType, word }) => ({
    kind: 'act',
    words: word,
    detail: 'all runs that match',
    whyNot,
    go: () => setQuery({ act: signalType }, 'step'),
  }))
}
