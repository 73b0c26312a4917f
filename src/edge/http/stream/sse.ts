/** Server-sent events as text (WHATWG HTML, 9.2): one block for each message, ended by an empty line. */

export interface Message {
  readonly event?: string
  readonly id?: string
  /** Sent as JSON, which has no line ends of its own. */
  readonly data?: unknown
  /** How long the reader waits before it comes back, in milliseconds. */
  readonly retry?: number
}

export const SSE_TYPE = 'text/event-stream'

/** Nobody between may keep a copy or wait until a part is large enough. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** Readers ignore it; it keeps the connection alive. */
export const COMMENT = ':\n\n'

const RETRY_MS = 1_000

export function messageText({ event, id, data, retry }: Message): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...(data === undefined ? [] : [`data: ${JSON.stringify(data)}`]),
  ]
  return `${lines.join('\n')}\n\n`
}

/** At once, so that the reader has the headers: the first event may be long in coming. */
export const OPENING = messageText({ retry: RETRY_MS })

/** The server goes away, or could not read on: the reader comes back and goes on from its last event. */
export const RECONNECT = messageText({ event: 'reconnect', retry: RETRY_MS, data: {} })

/** What a reader says it has: `Last-Event-ID`, or before there is one the query. An empty header says nothing. */
export function lastEventId(header: (name: string) => string | undefined): string | undefined {
  const given = header('last-event-id')?.trim()
  return given === undefined || given === '' ? undefined : given
}
