/**
 * All planted faults, in the order of a run's way: decided, folded, written; then what spans runs, what is read, and what
 * a fork takes over.
 */
import { APPEND } from './append.ts'
import { DECIDE } from './decide.ts'
import { EVOLVE } from './evolve.ts'
import { GRANTS } from './grants.ts'
import type { Mutant } from './mutant.ts'
import { STANDING } from './standing.ts'
import { VALUES } from './values.ts'

export const MUTANTS: readonly Mutant[] = [...DECIDE, ...EVOLVE, ...APPEND, ...GRANTS, ...VALUES, ...STANDING]
