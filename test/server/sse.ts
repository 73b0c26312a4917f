/** A reader of server-sent events over a real connection, which can stop reading, and can be cut off at any byte. */
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { ANA } from './served.ts'

/** Fields that tests look at by name; whatever else there is stays unknown. */
export interface SseData {
  readonly [name: string]: unknown
  readonly stepId?: string
  readonly watermark?: string
  readonly executions?: readonly MovedExecution[]
}

export interface MovedExecution {
  readonly executionId: string
  readonly status: string
  readonly state: string
  readonly lastEventSeq: number
  readonly updatedAt: string
}

export interface SseMessage {
  readonly id?: string
  readonly event?: string
  readonly retry?: string
  readonly data?: SseData
  /** A block with nothing but a comment. */
  readonly comment?: true
}

export interface SseReader extends AsyncDisposable {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The body of a refusal. */
  text(): Promise<string>
  /** The next message; undefined at the end of the stream. */
  next(): Promise<SseMessage | undefined>
  /** Messages up to and with the first that fits, or to the end. */
  until(fits: (message: SseMessage) => boolean): Promise<readonly SseMessage[]>
  /** Nothing more is read from the socket until `resume`. */
  pause(): void
  resume(): void
  /** Cuts the connection. */
  cut(): void
}

export interface SseGiven {
  readonly as?: string
  readonly lastEventId?: string
}

export async function follow(url: string, path: string, { as = ANA, lastEventId }: SseGiven = {}): Promise<SseReader> {
  const asked = request(`${url}${path}`, {
    agent: false,
    headers: {
      authorization: `Bearer ${as}`,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  // A cut connection is an error of the response, and the end of its text.
  asked.on('error', () => undefined)
  response.on('error', () => undefined)
  const blocks = blocksOf(response)
  const next = async (): Promise<SseMessage | undefined> => {
    const { value, done } = await blocks.next()
    return done === true ? undefined : messageOf(value)
  }
  const cut = (): void => void response.destroy()
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: async () => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      return text
    },
    next,
    until: async (fits) => {
      const found: SseMessage[] = []
      for (let one = await next(); one !== undefined; one = await next()) {
        found.push(one)
        if (fits(one)) break
      }
      return found
    },
    pause: () => void response.socket.pause(),
    resume: () => void response.socket.resume(),
    cut,
    [Symbol.asyncDispose]: async () => {
      if (response.closed) return
      cut()
      await once(response, 'close').catch(() => undefined)
    },
  }
}

async function* blocksOf(response: IncomingMessage): AsyncGenerator<string, void> {
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += String(chunk)
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      yield* parts
    }
  } catch {
    // Cut off: what came before is whole.
  }
}

function messageOf(block: string): SseMessage {
  const fields: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const [, name, value] = /^([a-z]*): ?(.*)$/.exec(line) ?? []
    if (name !== undefined && name !== '') fields[name] = value ?? ''
  }
  const { data, ...rest } = fields
  if (Object.keys(fields).length === 0) return { comment: true }
  return data === undefined ? rest : { ...rest, data: JSON.parse(data) }
}

/** Only messages with an event, which a browser would dispatch. */
export function told(messages: readonly SseMessage[]): readonly SseMessage[] {
  return messages.filter(({ event }) => event !== undefined)
}
