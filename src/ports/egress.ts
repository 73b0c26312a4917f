/** The one door out: every request the product makes for a plan goes through it, and it alone opens connections. */
export interface OutboundRequest {
  readonly url: string
  readonly method: string
  /** Names in any case; what the door itself must set (host, content-length …) is refused. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface InboundAnswer {
  readonly status: number
  /** Names in lower case; a repeated header is one text, joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Where the answer came from, after redirects. */
  readonly url: string
}

export interface Egress {
  /**
   * Any answer resolves, whatever its status. Aborting closes the connection. A broken connection is thrown with
   * `mayHaveHappened: true` when the request had left and no whole answer came back; time that is up before it left is a
   * broken connection too, and no timeout.
   */
  send(request: OutboundRequest, signal: AbortSignal): Promise<InboundAnswer>
}
