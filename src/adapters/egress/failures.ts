/** What can go wrong on the way, under the names that the one table of error classes knows (ERR-11). */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly code: string
  /** The request had left: it is unknown whether the other side acted on it. */
  readonly mayHaveHappened: boolean

  constructor(message: string, code: string, options: ErrorOptions & { readonly mayHaveHappened?: boolean } = {}) {
    super(message, options)
    this.code = code
    this.mayHaveHappened = options.mayHaveHappened ?? false
  }
}

export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly code = 'ETIMEDOUT'
}

/** Time ran out before any part of the request had left: nothing can have happened, so it is not a request timeout. */
export function unreached(timeUp: TimeoutError): NetworkError {
  return new NetworkError(timeUp.message, timeUp.code, { cause: timeUp })
}

/** Errors of sockets, TLS and DNS, reported with the host; nothing else of the request is repeated. */
export function asNetworkError(thrown: unknown, url: URL, wasSent: boolean): Error {
  const code = codeOf(thrown)
  const what = wasSent
    ? 'did not answer to the end: the connection broke after the request was sent'
    : 'could not be reached'
  const message = `${url.host} ${what}: ${code}`
  if (code === 'ETIMEDOUT' && wasSent) return new TimeoutError(message, { cause: thrown })
  return new NetworkError(message, code, { cause: thrown, mayHaveHappened: wasSent })
}

/** When several addresses failed, the error contains one error for each. */
function codeOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return codeOf(thrown.errors[0])
  if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string') return thrown.code
  return 'ECONNFAILED'
}
