/**
 * What a caller is told of a failure (API-13): the registered code, the message, where to read more, and the id to find it by.
 * Of an error that nobody expected only its id leaves the process: no stack, no statement, no path.
 */
import { toldOutside } from '../../../core/problems/outside.ts'
import { KeelsonError, problem, type Problem, type Problems } from '../../../core/problems/problem.ts'
import { categoryOf, statusOf } from './status.ts'

export interface Failure {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** Where the page of a code is: the repository's own documentation, by name. */
const HELP = 'docs/errors/'

export interface Told {
  readonly timestamp: string
  readonly correlationId: string
}

export function failureOf(thrown: unknown, told: Told, asProblemJson: boolean): Failure {
  const problems: Problems =
    thrown instanceof KeelsonError
      ? toldOutside(thrown.problems, `The server's log has the details under ${told.correlationId}.`)
      : [problem('INTERNAL', `something unexpected happened; the server's log has it under ${told.correlationId}`)]
  const [first] = problems
  const status = statusOf(first.code)
  const headers = headersFor(status, first)
  return asProblemJson
    ? { status, headers, body: problemJson(status, problems, told) }
    : { status, headers, body: envelope(problems, told) }
}

function envelope(problems: Problems, told: Told): object {
  const [first] = problems
  return {
    error: {
      code: first.code,
      category: categoryOf(first.code),
      message: first.message,
      help: `${HELP}${first.code}.md`,
      retryable: first.retryable,
      ...(first.hint === undefined ? {} : { hint: first.hint }),
      ...(first.details === undefined ? {} : { details: first.details }),
      ...(problems.length === 1 && first.at === undefined && first.pointer === undefined
        ? {}
        : { problems: problems.map(shownProblem) }),
    },
    ...told,
  }
}

function problemJson(status: number, problems: Problems, { timestamp, correlationId }: Told): object {
  const [first] = problems
  return {
    type: `${HELP}${first.code}.md`,
    title: first.code,
    status,
    detail: first.message,
    instance: correlationId,
    timestamp,
    problems: problems.map(shownProblem),
  }
}

/** Positions are of the text that the caller sent. */
function shownProblem({ code, message, at, pointer, hint }: Problem): object {
  return {
    code,
    message,
    ...(at === undefined ? {} : { at }),
    ...(pointer === undefined ? {} : { pointer }),
    ...(hint === undefined ? {} : { hint }),
  }
}

const RETRY_SECONDS: Readonly<Record<number, string>> = { 429: '5', 503: '5', 504: '10' }

function headersFor(status: number, { details }: Problem): Readonly<Record<string, string>> {
  const asked = details?.['retryAfterSeconds']
  const retry = typeof asked === 'number' ? String(Math.max(1, Math.ceil(asked))) : RETRY_SECONDS[status]
  const location = details?.['location']
  return {
    ...(retry === undefined ? {} : { 'retry-after': retry }),
    ...(typeof location === 'string' ? { location } : {}),
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="keelson"' } : {}),
  }
}
