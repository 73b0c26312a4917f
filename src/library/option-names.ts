/** The options of each door of the library, by name and kind; what is none of them is refused (`needKnown`). */
import type { EventRequest } from '../app/steer/send-event.ts'
import type { TaskCompletion } from '../app/inbox/task-completion.ts'
import type { BreakerOptions } from '../app/operations/circuit-breaker.ts'
import type { OperationsOptions } from '../app/operations/run-operations.ts'
import type { Allowed } from '../app/plans/run-lock.ts'
import type { ImportOptions } from '../app/import/import-log.ts'
import { KEY_VERSIONS } from '../core/events/imported.ts'
import type { OptionNames } from '../core/known-options.ts'
import {
  COUNT,
  FLAG,
  FUNCTION,
  LIST,
  MILLISECONDS,
  NUMBER,
  OBJECT,
  oneOf,
  SEQ,
  TEXT,
  TEXTS,
  type Kind,
} from '../core/option-kinds.ts'
import type { ListedPage, ListFilter } from '../ports/run-store.ts'
import type { AwaitOptions } from './read/await-end.ts'
import type {
  AlertFilter,
  CancelOptions,
  ForkAsked,
  ForkOptions,
  JournalOptions,
  ListenOptions,
  MigrateOptions,
  SignalOptions,
  StartOptions,
} from './run-options.ts'
import type { PublishOptions } from './plans/startable-plans.ts'
import type { SubscribeOptions } from './tell/subscription.ts'

const INSTANT: Kind = {
  what: 'a valid Date or epoch milliseconds',
  is: (value) => (typeof value === 'number' || value instanceof Date) && Number.isFinite(Number(value)),
}
const TEXTS_BY_NAME: Kind = {
  what: 'an object of texts',
  is: (value) => OBJECT.is(value) && Object.values(value as object).every((one) => typeof one === 'string'),
}
const ABORT_SIGNAL: Kind = { what: 'an AbortSignal', is: (value) => value instanceof AbortSignal }

export const START_OPTIONS: OptionNames<StartOptions> = {
  requestId: TEXT,
  correlationId: TEXT,
  runId: TEXT,
  locked: OBJECT,
  actorId: TEXT,
  replaceVersion: FLAG,
  queue: FLAG,
  notBefore: INSTANT,
  autoApprove: FLAG,
}
export const LOCKED: OptionNames<Allowed> = {
  hosts: TEXTS,
  programs: TEXTS,
  variables: TEXTS,
  secrets: true,
  plans: true,
  code: true,
  irreversible: FLAG,
}
export const PREVIEW_OPTIONS: OptionNames<ForkOptions> = {
  from: TEXT,
  atSeq: SEQ,
  newChildren: FLAG,
  input: true,
  plan: true,
}
export const FORK_OPTIONS: OptionNames<ForkAsked> = {
  ...PREVIEW_OPTIONS,
  actorId: TEXT,
  signalId: TEXT,
  replaceVersion: FLAG,
  repeatIrreversible: FLAG,
}
export const MIGRATE_OPTIONS: OptionNames<MigrateOptions> = {
  to: oneOf('embedded', 'temporal'),
  actorId: TEXT,
  drainMs: NUMBER,
  force: FLAG,
  detach: FLAG,
}
export const SIGNAL_OPTIONS: OptionNames<SignalOptions> = {
  signalId: TEXT,
  actorId: TEXT,
  wait: FLAG,
  startsRetry: FLAG,
}
export const CANCEL_OPTIONS: OptionNames<CancelOptions> = { undo: FLAG }
export const WAIT_OPTIONS: OptionNames<Pick<SignalOptions, 'wait'>> = { wait: FLAG }
export const AWAIT_OPTIONS: OptionNames<AwaitOptions> = { signal: ABORT_SIGNAL }
export const COMPLETION: OptionNames<TaskCompletion> = {
  completionToken: true,
  outcome: true,
  actorUserId: true,
  actorRoles: true,
  notes: true,
  evidenceRefs: true,
  result: true,
  runId: true,
  actionId: true,
}
export const PUBLISH_OPTIONS: OptionNames<PublishOptions> = { tenantId: TEXT, replaceVersion: FLAG }
export const OPERATIONS_OPTIONS: OptionNames<OperationsOptions> = { production: FLAG, breaker: OBJECT }
export const BREAKER_OPTIONS: OptionNames<BreakerOptions> = { failures: COUNT, restMs: MILLISECONDS }
export const LISTEN_OPTIONS: OptionNames<ListenOptions> = { allTenants: FLAG }
export const SUBSCRIBE_OPTIONS: OptionNames<SubscribeOptions> = {
  allTenants: FLAG,
  maxAttempts: COUNT,
  pollMs: MILLISECONDS,
  onProblem: FUNCTION,
}
export const EVENT_REQUEST: OptionNames<EventRequest> = {
  name: TEXT,
  key: TEXT,
  data: true,
  id: TEXT,
  ttlMs: MILLISECONDS,
}
export const TASK_FILTER: OptionNames<Omit<ListFilter, 'status'>> = {
  planId: TEXT,
  createdFrom: NUMBER,
  createdTo: NUMBER,
  originalRunId: TEXT,
  errorCode: TEXT,
  triggeredBy: TEXT,
  labels: TEXTS_BY_NAME,
}
export const LIST_FILTER: OptionNames<ListFilter> = { ...TASK_FILTER, status: LIST }
export const ALERT_FILTER: OptionNames<AlertFilter> = { runId: TEXT, since: INSTANT }
export const PAGE_OPTIONS: OptionNames<ListedPage> = { limit: COUNT, cursor: TEXT, oldestFirst: FLAG }
export const JOURNAL_OPTIONS: OptionNames<JournalOptions> = { from: INSTANT, to: INSTANT }
export const IMPORT_OPTIONS: OptionNames<ImportOptions> = {
  keyVersion: oneOf(...KEY_VERSIONS),
  strict: FLAG,
  file: TEXT,
}
