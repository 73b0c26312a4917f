/**
 * Does the body of an inbox row have the form that its kind requires? Anyone may insert a row, so nothing in it is
 * trusted before this check: a row of another form decides nothing and must not stop its run.
 */
import { ERROR_CLASSES } from '../../core/events/payloads.ts'
import { LIMITS } from '../../core/limits.ts'
import { hasRunIdLength } from '../log/fitting.ts'
import { jsonBytes } from '../schemas/json-bytes.ts'

type Fields = Readonly<Record<string, unknown>>
type Test = (value: unknown) => boolean

const isObject: Test = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
/** In characters, as in the published schemas: whoever stops a child run is called by the id of its parent. */
const isName: Test = (value) => typeof value === 'string' && value !== '' && hasRunIdLength(value)
const isEventId: Test = (value) => isName(value) && (value as string).length <= LIMITS.eventIdBytes
const isPresent: Test = (value) => value !== undefined
const isText: Test = (value) => typeof value === 'string'
const isFlag: Test = (value) => typeof value === 'boolean'
const isCount: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isOrdinal: Test = (value) => isCount(value) && (value as number) > 0
const isList: Test = (value) => Array.isArray(value)
const either =
  (...words: readonly unknown[]): Test =>
  (value) =>
    words.includes(value)
const optional =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value)
const fields =
  (tests: Readonly<Record<string, Test>>): Test =>
  (value) =>
    isObject(value) && Object.entries(tests).every(([name, test]) => test((value as Fields)[name]))

const everyOne =
  (test: Test): Test =>
  (value) =>
    isList(value) && (value as readonly unknown[]).every(test)
const isNames = everyOne(isName)
const isRoles: Test = (value) =>
  isNames(value) &&
  (value as readonly unknown[]).length <= LIMITS.actorRoles &&
  jsonBytes(value, LIMITS.actorRolesBytes) !== undefined

const isError = fields({ code: isName, retryable: isFlag, errorClass: isName })
const isResult: Test = (value) =>
  fields({
    kind: either('completed'),
    artifactRefs: isList,
    durationMs: isCount,
    by: optional(fields({ actorRoles: optional(isRoles) })),
  })(value) || fields({ kind: either('failed'), artifactRefs: optional(isList), durationMs: isCount })(value)
const isOutcome: Test = (value) =>
  fields({ kind: either('completed'), payload: fields({ artifactRefs: isList, actorRoles: optional(isRoles) }) })(
    value,
  ) ||
  fields({ kind: either('failed'), error: isError, data: optional(isObject), actorRoles: optional(isRoles) })(value)

const isErrorClass: Test = (value) => (ERROR_CLASSES as readonly unknown[]).includes(value)

const isPeople = fields({
  makers: isNames,
  approvals: everyOne(fields({ actorId: isName, duties: isNames })),
  stoppedBy: isNames,
  isCut: optional(isFlag),
})

const attempt = { slot: isName, attempt: isOrdinal, engineAttempt: isOrdinal }
const isReport = fields({
  ...attempt,
  epoch: optional(isOrdinal),
  stale: optional(either(true)),
  seenChanges: optional(isCount),
  result: isResult,
})

const FORMS: { readonly [kind: string]: Test } = {
  signal: fields({
    signalId: isName,
    signalType: isName,
    payload: isObject,
    authorization: fields({
      allowed: isFlag,
      policyDecisionId: isName,
      actorId: optional(isName),
      actorRole: optional(isName),
      reasonCode: optional(isName),
      reason: optional(isText),
    }),
  }),
  manual: (value) =>
    isReport(value) || fields({ ...attempt, seenChanges: optional(isCount), outcome: isOutcome })(value),
  outcome: isReport,
  approve: fields({ approvedBy: isName }),
  scope: fields({ pauseId: isName, scope: isName, active: isFlag, reason: optional(isText) }),
  fork: fields({ newRunId: isName, atSeq: isCount, planVersion: isName, signalId: optional(isName) }),
  child: fields({
    slot: isName,
    attempt: isOrdinal,
    childRunId: isName,
    status: either('COMPLETED', 'FAILED', 'CANCELLED'),
    errorCode: optional(isName),
    errorClass: optional(isErrorClass),
    notUndone: optional(isNames),
    people: optional(isPeople),
  }),
  grant: fields({ slot: isName }),
  event: fields({
    eventId: isEventId,
    name: isName,
    key: isText,
    slot: isName,
    attempt: isOrdinal,
    sentAt: isCount,
    data: isPresent,
  }),
  wake: isObject,
}

export function hasForm(kind: string, body: unknown): boolean {
  return Object.hasOwn(FORMS, kind) && FORMS[kind]?.(body) === true
}
