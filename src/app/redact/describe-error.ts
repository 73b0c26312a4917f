/**
 * Turns whatever a handler threw into plain facts and into the error of an event. The value is untrusted: getters may
 * throw, causes may form a cycle, texts may be endless. Nothing here throws.
 */
import type { ErrorInfo, EventData } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import { classifyError, type ErrorFact, type ErrorFacts } from '../../core/run/failure/classify-error.ts'
import { errorStatus, readField } from '../../core/run/failure/error-status.ts'
import type { TextMask } from '../../ports/step-handlers.ts'

export type Aborted = NonNullable<ErrorFacts['aborted']>

export interface DescribedError {
  readonly error: ErrorInfo
  readonly errorText: NonNullable<EventData['errorText']>
}

const CODE = /^[A-Z][A-Z0-9_]{1,127}$/
/** Codes that only the decider gives: from a handler they would look like its decisions. */
const RESERVED: ReadonlySet<string> = new Set(['CANCELLED', 'INDETERMINATE'])
const MAX_CAUSES = 16
const NAME_CHARS = 255

/**
 * The facts that `classifyError` decides on. `aborted` comes from the code that aborted the attempt, not from the error
 * (X-62).
 */
export function errorFacts(thrown: unknown, aborted?: Aborted): ErrorFacts {
  return {
    ...factOf(thrown),
    message: messageOf(thrown),
    causes: causesOf(thrown),
    ...(aborted === undefined ? {} : { aborted }),
  }
}

/**
 * The error object and error text of a StepFailed, classified; the text is bounded and well-formed. `mask` hides
 * secrets before the text is cut: half a secret is one too.
 */
export function describeError(thrown: unknown, aborted?: Aborted, mask?: TextMask): DescribedError {
  const facts = { ...errorFacts(thrown, aborted), message: messageOf(thrown, mask) }
  const classification = classifyError(facts)
  const stack = readField(thrown, 'stack')
  const code = codeOf(facts, classification.errorClass)
  const statusCode = [facts, ...facts.causes].find(({ status }) => status !== undefined)?.status
  return {
    error: {
      code: mask === undefined || mask.part(code, 0, code.length) === code ? code : 'HANDLER_FAILED',
      ...classification,
      ...(statusCode === undefined ? {} : { statusCode }),
    },
    errorText: {
      message: facts.message,
      ...(typeof stack === 'string' && stack !== '' ? { stackTrace: boundedText(masked(stack, mask)) } : {}),
    },
  }
}

/** Of an endless text only the part is read that is kept or may reach into it. */
function masked(text: string, mask: TextMask | undefined): string {
  if (mask === undefined) return text
  const seen = text.slice(0, LIMITS.errorTextBytes + mask.reachChars)
  return mask.part(seen, 0, LIMITS.errorTextBytes)
}

/** At most 8 KiB of UTF-8, cut between characters, without lone surrogates (canonical JSON refuses them). */
function boundedText(text: string): string {
  // A UTF-16 unit is at least one byte, so nothing beyond the limit in units can stay.
  const wellFormed = text.slice(0, LIMITS.errorTextBytes).toWellFormed()
  const bytes = new TextEncoder().encode(wellFormed)
  if (bytes.length <= LIMITS.errorTextBytes) return wellFormed
  return new TextDecoder().decode(bytes.subarray(0, LIMITS.errorTextBytes), { stream: true })
}

function codeOf(facts: ErrorFacts, errorClass: ErrorInfo['errorClass']): string {
  if (facts.aborted === 'cancel') return 'CANCELLED'
  if (facts.aborted === 'timeout') return 'TIMEOUT'
  if (facts.code !== undefined && CODE.test(facts.code) && !RESERVED.has(facts.code)) return facts.code
  return errorClass === 'timeout' ? 'TIMEOUT' : 'HANDLER_FAILED'
}

function factOf(thrown: unknown): ErrorFact {
  const name = readField(thrown, 'name')
  const code = readField(thrown, 'code')
  const syscall = readField(thrown, 'syscall')
  const status = errorStatus(thrown)
  return {
    ...(typeof name === 'string' ? { name: name.slice(0, NAME_CHARS) } : {}),
    ...(typeof code === 'string' ? { code: code.slice(0, NAME_CHARS) } : {}),
    ...(typeof syscall === 'string' ? { syscall: syscall.slice(0, NAME_CHARS) } : {}),
    ...(status === undefined ? {} : { status }),
  }
}

/** Breadth first through `cause` and the members of an AggregateError; a cycle is visited once. */
function causesOf(thrown: unknown): readonly ErrorFact[] {
  const seen = new Set<unknown>([thrown])
  const queue: unknown[] = [thrown]
  const facts: ErrorFact[] = []
  for (let at = 0; at < queue.length && facts.length < MAX_CAUSES; at++) {
    for (const cause of directCauses(queue[at])) {
      if (facts.length >= MAX_CAUSES || cause === null || cause === undefined || seen.has(cause)) continue
      seen.add(cause)
      queue.push(cause)
      facts.push(factOf(cause))
    }
  }
  return facts
}

function directCauses(thrown: unknown): readonly unknown[] {
  const cause = readField(thrown, 'cause')
  const members = readField(thrown, 'errors')
  if (!Array.isArray(members)) return [cause]
  return [cause, ...Array.from({ length: MAX_CAUSES }, (_, index) => readField(members, String(index)))]
}

function messageOf(thrown: unknown, mask?: TextMask): string {
  return boundedText(masked(ownMessage(thrown), mask))
}

function ownMessage(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  const message = readField(thrown, 'message')
  if (typeof message === 'string' && message !== '') return message
  const name = readField(thrown, 'name')
  if (typeof name === 'string' && name !== '') return name
  return asText(thrown)
}

function asText(thrown: unknown): string {
  if (thrown === null || (typeof thrown !== 'object' && typeof thrown !== 'function')) return String(thrown)
  try {
    const json: unknown = JSON.stringify(thrown)
    return typeof json === 'string' ? json : Object.prototype.toString.call(thrown)
  } catch {
    return 'a value that cannot be shown was thrown'
  }
}
