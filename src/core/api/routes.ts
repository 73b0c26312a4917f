/** Every route of the HTTP interface. What is not in this list is not answered. */
import * as acts from './acts.ts'
import * as audit from './audit.ts'
import type { Contract } from './contract.ts'
import * as events from './events.ts'
import * as log from './execution-log.ts'
import * as executions from './executions.ts'
import * as fleet from './fleet.ts'
import * as limits from './limits.ts'
import * as login from './login.ts'
import * as pauses from './pauses.ts'
import * as operations from './operations.ts'
import * as plans from './plans.ts'
import * as ofProcess from './process.ts'
import * as schedules from './schedules.ts'
import * as tasks from './tasks.ts'
import * as triggers from './triggers.ts'
import * as views from './views.ts'
import * as work from './work.ts'

/** The modules also export shapes that several routes share. */
const EXPORTS = {
  ...executions,
  ...log,
  ...acts,
  ...tasks,
  ...audit,
  ...plans,
  ...limits,
  ...views,
  ...pauses,
  ...events,
  ...schedules,
  ...triggers,
  ...fleet,
  ...operations,
  ...work,
  ...ofProcess,
  ...login,
}

function isContract(value: unknown): value is Contract {
  return typeof value === 'object' && value !== null && 'answers' in value && 'path' in value
}

const exported: readonly unknown[] = Object.values(EXPORTS)

export const ROUTES: readonly Contract[] = exported.filter(isContract)

/** Every route by its id: a route is exported under its id. */
export type RoutesById = {
  readonly [N in keyof typeof EXPORTS as (typeof EXPORTS)[N] extends Contract ? N : never]: (typeof EXPORTS)[N]
}
export type RouteId = keyof RoutesById
