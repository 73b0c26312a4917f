/**
 * All planted faults, in the order of a run's way: decided, folded, written; then what spans runs, what is read, what
 * a fork takes over, which plan is meant, and what comes from outside.
 */
import { APPEND } from './append.ts'
import { DECIDE } from './decide.ts'
import { EVENTS_FAULTS } from './events.ts'
import { EVOLVE } from './evolve.ts'
import { FAMILY } from './family.ts'
import { GRANTS } from './grants.ts'
import { LIMITS_FAULTS } from './limits.ts'
import type { Mutant } from './mutant.ts'
import { PEOPLE } from './people.ts'
import { PLANS } from './plans.ts'
import { POSTGRES } from './postgres.ts'
import { SQLITE } from './sqlite.ts'
import { STANDING } from './standing.ts'
import { UNDOING } from './undoing.ts'
import { VALUES } from './values.ts'

export const MUTANTS: readonly Mutant[] = [
  ...DECIDE,
  ...FAMILY,
  ...PEOPLE,
  ...EVOLVE,
  ...APPEND,
  ...SQLITE,
  ...POSTGRES,
  ...GRANTS,
  ...EVENTS_FAULTS,
  ...UNDOING,
  ...VALUES,
  ...STANDING,
  ...PLANS,
  ...LIMITS_FAULTS,
]
