/**
 * Requests that carry an idempotency key (IDC-01…10): one row per tenant, route and key. Whoever takes the row does the work; all others
 * find it in flight or answered, in whichever process they are. Only successes are answered; a failure drops the row.
 */
export interface RequestRef {
  readonly tenantId: string
  /** Method and path template: one key on two routes is two requests. */
  readonly route: string
  readonly key: string
}

export interface RequestTake extends RequestRef {
  /** 32 bytes. */
  readonly bodySha256: Uint8Array
  /** Of this request alone, not of the process: two requests with one key must not share a row. */
  readonly owner: string
  readonly now: number
  /** The owner's lease, renewed by `keepRequest`. */
  readonly until: number
  /** How long an answer counts, from when it was stored: up to and including this many milliseconds. */
  readonly ttlMs: number
}

export interface RequestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type RequestTaken =
  /** With the execution of an earlier owner whose lease ran out: go on with that one. */
  | { readonly kind: 'taken'; readonly executionId?: string }
  /** Compare the hash first: another body with that key is a conflict (IDC-07). */
  | { readonly kind: 'in-flight'; readonly bodySha256: Uint8Array; readonly executionId?: string }
  | {
      readonly kind: 'answered'
      readonly bodySha256: Uint8Array
      readonly answer: RequestAnswer
      readonly answeredAt: number
    }

export interface IdempotencyStore {
  /**
   * Takes a request that nobody has, whose answer is too old, or whose owner's lease has passed at `now`. That of another body is
   * never taken over: it stays in flight for the caller to refuse. A row in flight does not expire otherwise (IDC-10).
   */
  takeRequest(take: RequestTake): Promise<RequestTaken>
  /** Each of the following is false, and changes nothing, when the request is not in flight or another owner has it. */
  keepRequest(ref: RequestRef, owner: string, until: number): Promise<boolean>
  noteExecution(ref: RequestRef, owner: string, executionId: string): Promise<boolean>
  answerRequest(ref: RequestRef, owner: string, answer: RequestAnswer, answeredAt: number): Promise<boolean>
  /** The work failed: the next request with that key does it anew (IDC-03). */
  dropRequest(ref: RequestRef, owner: string): Promise<boolean>
  /**
   * Deletes requests of all tenants that were answered before an instant, and those that were left in flight by an owner whose lease had
   * passed before it: unless their run goes on, or moved since. Returns how many.
   */
  sweepRequests(before: number): Promise<number>
}

/** Sessions of browsers that were ended before their time. They are kept as answered requests are, and swept with them. */
export interface SessionStore {
  /** The session would have ended by itself at `endsAt`. */
  endSession(tenantId: string, sessionId: string, endsAt: number): Promise<void>
  isSessionEnded(tenantId: string, sessionId: string): Promise<boolean>
}
