/** How the check of an event's hashes is shown: a word, a shape and a colour, as for every state. */
import type { CheckedChain } from '../history/chain-of-log.ts'
import type { Look } from '../shown/states.ts'

const FITS: Look = { word: 'verified in this browser', shape: 'check', tone: 'good' }
const ERASED: Look = { word: 'verified in this browser; its data was erased', shape: 'disc', tone: 'off' }
const MISSING: Look = { word: 'its data is gone, and no event says that it was erased', shape: 'cross', tone: 'bad' }
const WAITING: Look = { word: 'not checked yet', shape: 'ring', tone: 'idle' }
const BEHIND: Look = { word: 'not checked: an event before it does not fit', shape: 'ring', tone: 'idle' }

export function chainLook({ lastSeq, broken, erased, missing }: CheckedChain, runSeq: number): Look {
  if (broken?.runSeq === runSeq) return { word: broken.what, shape: 'cross', tone: 'bad' }
  if (runSeq > lastSeq) return broken === undefined ? WAITING : BEHIND
  if (missing.includes(runSeq)) return MISSING
  return erased.includes(runSeq) ? ERASED : FITS
}
