/** The one door out: every request that the product makes for a plan goes through it, and only it opens connections. */
export interface OutboundRequest {
  readonly url: string
  readonly method: string
  /** Names in any case; headers that the door itself must set (host, content-length …) are refused. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Hosts, addresses and ranges; this request and its redirects go nowhere else. */
  readonly only?: readonly string[]
}

export interface InboundAnswer {
  readonly status: number
  /** Names in lower case; a repeated header is one text, joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The source of the answer, after redirects. */
  readonly url: string
}

export interface Egress {
  /**
   * Any answer resolves, whatever its status. Aborting closes the connection. A broken connection is thrown with
   * `mayHaveHappened: true` when the request had left and no whole answer came back; a time limit reached before it
   * left is a broken connection too, and no timeout.
   */
  send(request: OutboundRequest, signal: AbortSignal): Promise<InboundAnswer>
}
