/** What an import gives: a plan document, and where each part of it was written in the document it was made of. */
import type { Problem } from '../../problems/problem.ts'
import type { Json } from '../plan.ts'
import type { Reading } from '../read/reading.ts'

export type Document = { readonly [field: string]: Json }

export interface Imported {
  readonly document: Document
  /** JSON pointers: into the plan, and into the document it was made of. */
  readonly places: ReadonlyMap<string, string>
  readonly positionOf: Reading['positionOf']
}

/** A problem of the plan, told where its author can correct it. */
export function inOrigin({ places, positionOf }: Imported, found: Problem): Problem {
  const pointer = found.pointer ?? ''
  let known = pointer
  while (!places.has(known) && known !== '') known = known.slice(0, known.lastIndexOf('/'))
  const origin = (places.get(known) ?? '') + pointer.slice(known.length)
  const at = nearest(origin, positionOf)
  return { ...found, pointer: origin, ...(at === undefined ? {} : { at }) }
}

/** A part that only the plan has is told at the place of what holds it. */
function nearest(pointer: string, positionOf: Reading['positionOf']): Problem['at'] {
  let at = positionOf(pointer)
  for (let rest = pointer; at === undefined && rest !== '';) {
    rest = rest.slice(0, rest.lastIndexOf('/'))
    at = positionOf(rest)
  }
  return at
}
