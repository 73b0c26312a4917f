/** The HTTP status of each registered problem, and its word in the vocabulary of S4 (API-13). What no row names is the asker's mistake: 400. */
import type { ProblemCode } from '../../../core/problems/registry.ts'

const BY_STATUS: Readonly<Record<number, readonly ProblemCode[]>> = {
  401: ['NOT_AUTHENTICATED'],
  403: [
    'AUTHZ_DENIED',
    'PERSON_NOT_NAMED',
    'PLAN_URI_NOT_ALLOWED',
    'PLAN_INLINE_REFUSED',
    'RUN_LOCKED',
    'COMMANDS_OFF',
    'TASK_QUEUE_REFUSED',
    'ORIGIN_REFUSED',
    'PLAN_OVER_QUOTA',
  ],
  404: [
    'RUN_NOT_FOUND',
    'AUTHZ_TENANT_FORBIDDEN',
    'PLAN_NOT_FOUND',
    'STEP_UNKNOWN',
    'SIGNAL_NOT_FOUND',
    'TASK_NOT_OPEN',
    'ARTIFACT_NOT_FOUND',
    'ROUTE_NOT_FOUND',
    'KEY_NOT_FOUND',
    'TENANT_NOT_FOUND',
    'LIMIT_NOT_FOUND',
    'SCHEDULE_NOT_FOUND',
    'TRIGGER_NOT_FOUND',
    'CLAIM_NOT_HELD',
  ],
  405: ['METHOD_NOT_ALLOWED'],
  408: ['REQUEST_TOO_SLOW'],
  409: [
    'RUN_TERMINAL',
    'RUN_NOT_RUNNING',
    'RUN_NOT_WAITING',
    'RUN_NOT_QUEUED',
    'RUN_NOT_TERMINAL',
    'RUN_NOT_COMPLETED',
    'PLAN_VERSION_EXISTS',
    'STEP_NOT_TERMINAL',
    'STEP_TERMINAL',
    'STEP_RUNNING',
    'STEP_NOT_FAILED',
    'IDEMPOTENCY_KEY_CONFLICT',
    'SIGNAL_DUPLICATE',
    'DECISION_SETTLED',
    'EVENT_DUPLICATE',
    'RUN_DRIVEN_ELSEWHERE',
    'TASK_CHANGED',
    'TASK_ANSWERED',
    'APPROVAL_SPENT',
    'APPROVAL_BINDS_INPUT',
    'APPROVAL_FOR_MANY',
    'RUN_ALREADY_EXISTS',
    'RUN_FOREIGN',
    'RUN_SCOPE_MISMATCH',
    'FORK_UNDER_WAY',
    'FORK_REPEATS_IRREVERSIBLE',
    'FORK_NEEDS_APPROVAL',
    'FORK_OTHER_PLAN',
    'RUN_NOT_FORKABLE',
    'RUN_QUARANTINED',
    'RUN_KILLS_PROCESS',
    'RUN_ON_OTHER_ENGINE',
    'RUN_NOT_DRAINED',
    'RUN_EPOCH_STALE',
    'NO_HANDLER',
    'ISOLATION_UNAVAILABLE',
    'SCHEDULE_EXISTS',
    'SCHEDULE_OF_PLAN',
    'TRIGGER_EXISTS',
    'WORK_REPORTED',
  ],
  410: ['RUN_ARCHIVED', 'RUN_ERASED', 'VALUE_ERASED'],
  413: ['PAYLOAD_TOO_LARGE', 'VALUE_TOO_LARGE'],
  414: ['URL_TOO_LONG'],
  415: ['MEDIA_TYPE_UNSUPPORTED'],
  421: ['HOST_REFUSED'],
  429: ['SIGNAL_RATE_EXCEEDED', 'RATE_EXCEEDED', 'EVENTS_FULL', 'RUN_LIMIT_REACHED'],
  431: ['HEADERS_TOO_LARGE'],
  500: ['INTERNAL', 'STORE_CORRUPT', 'STORE_ALTERED'],
  503: [
    'STORE_UNAVAILABLE',
    'STORE_LOCKED',
    'STORE_WRITE_TIMEOUT',
    'STORE_CLOSED',
    'STORE_FULL',
    'STORE_READ_ONLY',
    'KEELSON_CLOSED',
    'SERVER_BUSY',
    'ADAPTER_PROVIDER_ERROR',
    'ENGINE_NOT_OPEN',
    'TEMPORAL_CLIENT_NOT_CONNECTED',
  ],
  504: ['TIMEOUT'],
}

const STATUS_OF: ReadonlyMap<string, number> = new Map(
  Object.entries(BY_STATUS).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)] as const)),
)

export function statusOf(code: ProblemCode): number {
  return STATUS_OF.get(code) ?? 400
}

const CATEGORIES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'CONFLICT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL_ERROR',
  503: 'SERVICE_UNAVAILABLE',
  504: 'TIMEOUT_ERROR',
}

/** Codes whose word the status does not give. */
const OWN_CATEGORIES: Readonly<Record<string, string>> = {
  CANCELLED: 'CANCELLED_ERROR',
  EGRESS_REFUSED: 'NETWORK_ERROR',
  RESOURCE_UNKNOWN: 'CONFIGURATION_ERROR',
  KEYS_NOT_CONFIGURED: 'CONFIGURATION_ERROR',
  STORE_DRIVER_MISSING: 'CONFIGURATION_ERROR',
  ENGINE_DRIVER_MISSING: 'CONFIGURATION_ERROR',
}

export function categoryOf(code: ProblemCode): string {
  if (code.startsWith('EXPR_')) return code
  return OWN_CATEGORIES[code] ?? CATEGORIES[statusOf(code)] ?? 'VALIDATION_ERROR'
}
