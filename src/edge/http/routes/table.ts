/** Every route with its handler. A test holds that each row of the table has exactly one. */
import type { BoundRoute } from '../serve/bound-route.ts'
import { ARTIFACTS } from './artifacts.ts'
import { AUDIT } from './audit.ts'
import { CANCEL } from './cancel.ts'
import { DECISIONS } from './decisions.ts'
import { EVENTS } from './events.ts'
import { FLEET } from './fleet.ts'
import { FORK } from './fork.ts'
import { JOURNAL } from './journal.ts'
import { KEYS } from './keys.ts'
import { LIMIT_ROUTES } from './limits.ts'
import { LOGIN } from './login.ts'
import { OPENAPI } from './openapi.ts'
import { PAUSES } from './pauses.ts'
import { OPERATIONS } from './operations.ts'
import { PLANS } from './plans.ts'
import { PROCESS } from './process.ts'
import { QUEUE } from './queue.ts'
import { READ_EXECUTIONS } from './read-executions.ts'
import { SCHEDULES } from './schedules.ts'
import { SIGNALS } from './signals.ts'
import { START_EXECUTIONS } from './start-executions.ts'
import { TASKS } from './tasks.ts'
import { TRIGGERS } from './triggers.ts'
import { STREAMS } from './streams.ts'
import { VIEWS } from './views.ts'
import { WORK } from './work.ts'

export const BOUND_ROUTES: readonly BoundRoute[] = [
  ...START_EXECUTIONS,
  ...READ_EXECUTIONS,
  ...SIGNALS,
  ...CANCEL,
  ...FORK,
  ...DECISIONS,
  ...QUEUE,
  ...LIMIT_ROUTES,
  ...VIEWS,
  ...PAUSES,
  ...EVENTS,
  ...TASKS,
  ...AUDIT,
  ...PLANS,
  ...JOURNAL,
  ...STREAMS,
  ...PROCESS,
  ...OPENAPI,
  ...LOGIN,
  ...KEYS,
  ...SCHEDULES,
  ...TRIGGERS,
  ...FLEET,
  ...OPERATIONS,
  ...ARTIFACTS,
  ...WORK,
]
