/** A list of steps as far as their order goes: their ids and what they depend on, as written. */
import type { Json } from '../plan.ts'
import type { Place } from './place.ts'

export interface OutlinedStep {
  readonly place: Place
  readonly id: string | undefined
  readonly idKey: 'id' | 'stepId'
  /** As written; undefined when it is missing or not a list. */
  readonly dependsOn: readonly Json[] | undefined
  readonly order: Json | undefined
  readonly hasItems: boolean
}

export interface Outline {
  readonly steps: readonly OutlinedStep[]
  readonly isGraph: boolean
  /** The first step of each id. */
  readonly indexOf: ReadonlyMap<string, number>
}
