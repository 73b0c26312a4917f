/** Refusals that many routes share: each with its status, its words and the routes that can answer so. No row of the table repeats them. */
import { pathNames, type Contract } from './contract.ts'

export interface Refusal {
  readonly status: number
  /** Its name among the components of the OpenAPI document. */
  readonly name: string
  readonly about: string
  /** Headers that it always has. */
  readonly headers: readonly ('Retry-After' | 'WWW-Authenticate' | 'Location')[]
  readonly of: (contract: Contract) => boolean
}

const isGuarded = ({ access }: Contract): boolean => access !== 'anyone'
/** Not every server has a way for people to log in. */
const isLogin = ({ tag }: Contract): boolean => tag === 'login'
const isAboutRun = (contract: Contract): boolean => pathNames(contract).includes('executionId')
const isChange = ({ method }: Contract): boolean => method !== 'GET'
const isNaming = ({ params, query, body }: Contract): boolean =>
  params !== undefined || query !== undefined || body !== undefined

const ROWS: readonly Omit<Refusal, 'headers'>[] = [
  {
    status: 400,
    name: 'Invalid',
    about:
      'The request is not what the route takes: `BODY_INVALID`, `HEADER_INVALID`, or a code of what was asked for.',
    of: () => true,
  },
  {
    status: 401,
    name: 'NotAuthenticated',
    about: 'The server does not know who asks: `NOT_AUTHENTICATED`.',
    of: isGuarded,
  },
  {
    status: 403,
    name: 'Denied',
    about: 'The principal may not do this: `AUTHZ_DENIED`; or a page of another origin asked: `ORIGIN_REFUSED`.',
    of: (contract) => isGuarded(contract) || (isLogin(contract) && isChange(contract)),
  },
  {
    status: 404,
    name: 'NotFound',
    about: 'There is nothing of that name. What belongs to another tenant gets the same answer.',
    of: (contract) => isLogin(contract) || (isGuarded(contract) && isNaming(contract)),
  },
  {
    status: 408,
    name: 'TooSlow',
    about: 'The request did not arrive in time: `REQUEST_TOO_SLOW`. The connection is closed.',
    of: () => true,
  },
  {
    status: 409,
    name: 'Conflict',
    about: 'What is named is not in a state for this, for example `RUN_TERMINAL` or `IDEMPOTENCY_KEY_CONFLICT`.',
    of: (contract) => isChange(contract) || isAboutRun(contract),
  },
  {
    status: 410,
    name: 'Gone',
    about: 'It was archived or erased: `RUN_ARCHIVED`, `RUN_ERASED`, `VALUE_ERASED`.',
    of: isAboutRun,
  },
  {
    status: 413,
    name: 'TooLarge',
    about: 'The body, or a value in it, has too many bytes: `PAYLOAD_TOO_LARGE`, `VALUE_TOO_LARGE`.',
    of: ({ body }) => body !== undefined,
  },
  {
    status: 414,
    name: 'LongAddress',
    about: 'The address with its query has too many characters: `URL_TOO_LONG`.',
    of: () => true,
  },
  {
    status: 415,
    name: 'MediaType',
    about: 'The body is not `application/json`: `MEDIA_TYPE_UNSUPPORTED`.',
    of: isChange,
  },
  {
    status: 421,
    name: 'Misdirected',
    about: 'The server does not answer for the name in `Host`: `HOST_REFUSED`.',
    of: () => true,
  },
  {
    status: 429,
    name: 'TooMany',
    about: 'Too many requests, signals or runs: `RATE_EXCEEDED`, `SIGNAL_RATE_EXCEEDED`.',
    of: (contract) => isGuarded(contract) || contract.asksIssuer === true,
  },
  {
    status: 431,
    name: 'LongHeaders',
    about: 'The headers have too many bytes: `HEADERS_TOO_LARGE`. The connection is closed.',
    of: () => true,
  },
  {
    status: 500,
    name: 'Internal',
    about: 'Something unexpected happened: `INTERNAL`. The log of the server has it under `correlationId`.',
    of: () => true,
  },
  {
    status: 503,
    name: 'Busy',
    about: 'The server or its store has no time or is stopping: `SERVER_BUSY`, `STORE_UNAVAILABLE`.',
    of: (contract) => isGuarded(contract) || isLogin(contract),
  },
  {
    status: 504,
    name: 'Timeout',
    about: 'The run has not ended while it was waited for; it goes on, and `Location` leads to it: `TIMEOUT`.',
    of: ({ headers = [] }) => headers.includes('Prefer'),
  },
]

const HEADERS: Readonly<Record<number, Refusal['headers']>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
  504: ['Retry-After', 'Location'],
}

export const REFUSALS: readonly Refusal[] = ROWS.map((row) => ({ ...row, headers: HEADERS[row.status] ?? [] }))

/** Those that a route can answer and does not describe itself. */
export function refusalsOf(contract: Contract): readonly Refusal[] {
  return REFUSALS.filter((one) => one.of(contract) && contract.answers[one.status] === undefined)
}
