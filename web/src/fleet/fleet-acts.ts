/** What can be done to all runs that match a filter, and whether a filter says which runs those are. */
import type { ReadFilter } from '../../../src/core/filter/run-filter.ts'
import type { SignalType } from '../../../src/core/run/signals/catalogue.ts'

export interface FleetAct {
  readonly signalType: SignalType
  readonly word: string
  readonly about: string
}

export const FLEET_ACTS: readonly FleetAct[] = [
  {
    signalType: 'PAUSE',
    word: 'Pause',
    about: 'Steps at work may end; nothing new starts until the runs are resumed.',
  },
  { signalType: 'RESUME', word: 'Resume', about: 'Steps that were held back start.' },
  {
    signalType: 'CANCEL',
    word: 'Cancel',
    about: 'Steps at work are asked to stop; the runs end. What they have done stays done.',
  },
  {
    signalType: 'RETRY_RUN',
    word: 'Run again',
    about: 'Each run that has ended is started anew from its results; what succeeded is not repeated.',
  },
]

/** By its signal, as the address names it. */
export function fleetAct(name: string | null): FleetAct | undefined {
  return FLEET_ACTS.find(({ signalType }) => signalType === name)
}

/** Undefined: the filter says exactly which runs are meant. */
export function whyNotForAll({ asked, words, unknown }: ReadFilter): string | undefined {
  if (unknown.length > 0) return 'A part of the filter is not understood.'
  if (words.length > 0)
    return 'A word without a name only narrows what is loaded. Take it out to act on all runs that match.'
  return Object.keys(asked).length === 0 ? 'Say by the filter which runs are meant.' : undefined
}
