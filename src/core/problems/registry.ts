/**
 * The registry of error codes: every expected failure of the product, defined once. docs/errors/<CODE>.md is generated
 * from it, and a test checks that registry, pages and used codes are the same.
 */
import { PLAN_PROBLEMS } from './plan-problems.ts'
import { FORK_PROBLEMS } from './fork-problems.ts'
import { RUN_PROBLEMS } from './run-problems.ts'
import { STEP_PROBLEMS } from './step-problems.ts'
import { STORE_PROBLEMS } from './store-problems.ts'
import { EDGE_PROBLEMS } from './edge-problems.ts'
import { EGRESS_PROBLEMS } from './egress-problems.ts'
import { ENGINE_PROBLEMS } from './engine-problems.ts'
import { GRANT_PROBLEMS } from './grant-problems.ts'
import { LASTING_PROBLEMS } from './lasting-problems.ts'
import { SERVER_PROBLEMS } from './server-problems.ts'
import { CLIENT_PROBLEMS } from './client-problems.ts'
import { CLOCKWORK_PROBLEMS } from './clockwork-problems.ts'
import { FLEET_PROBLEMS } from './fleet-problems.ts'

export interface ProblemEntry {
  /** One line: what happened, in the reader's words. */
  readonly title: string
  /** May the same call succeed later without a change? */
  readonly retryable: boolean
  /** What Keelson did about it. */
  readonly did: string
  /** What the reader should do next. */
  readonly todo: string
}

export const REGISTRY = {
  ...PLAN_PROBLEMS,
  ...RUN_PROBLEMS,
  ...FORK_PROBLEMS,
  ...STEP_PROBLEMS,
  ...STORE_PROBLEMS,
  ...EDGE_PROBLEMS,
  ...EGRESS_PROBLEMS,
  ...ENGINE_PROBLEMS,
  ...GRANT_PROBLEMS,
  ...LASTING_PROBLEMS,
  ...SERVER_PROBLEMS,
  ...CLIENT_PROBLEMS,
  ...CLOCKWORK_PROBLEMS,
  ...FLEET_PROBLEMS,
} satisfies Record<string, ProblemEntry>

export type ProblemCode = keyof typeof REGISTRY

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(REGISTRY, text)
}
