/** Server-sent events as the messages they carry; comments, which only keep the connection, are left out. */

export interface StreamMessage {
  /** `message` where the stream does not say. */
  readonly event: string
  readonly data: string
  /** The id that the stream named last. */
  readonly id: string
  /** How long to wait before the next connection, as the stream says. */
  readonly retryMs?: number
}

export async function* messagesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage, void> {
  let id = ''
  let event = ''
  let data: string[] = []
  let retry: { readonly retryMs: number } | undefined
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { event: event === '' ? 'message' : event, data: data.join('\n'), id, ...retry }
      event = ''
      data = []
      continue
    }
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (name === 'id') id = value
    else if (name === 'event') event = value
    else if (name === 'data') data.push(value)
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) retry = { retryMs: Number(value) }
  }
}

/** Not by `for await`: not every browser can iterate a stream. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      // A return at the very end may be the first half of an end of line.
      const lines = rest.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      yield* lines
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
