/** Bytes on a connection as they are, for requests that no client would send. */
import { connect, type Socket } from 'node:net'

export interface RawConnection {
  readonly socket: Socket
  send(text: string): void
  /** Everything that came, once the other side has closed. */
  readonly closed: Promise<string>
  readonly text: () => string
}

export function rawConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => (text += chunk))
  // A connection that is cut is an answer, too.
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  return { socket, send: (part) => void socket.write(part), closed, text: () => text }
}

/** One request, byte by byte as given; the connection is closed after its answer. */
export async function rawAnswer(url: string, request: string): Promise<string> {
  const raw = rawConnection(url)
  raw.send(request)
  return raw.closed
}

/** `GET /path` with these lines of headers, and `Connection: close`. */
export function rawRequest(url: string, line: string, headers: readonly string[] = []): string {
  const { host } = new URL(url)
  const own = headers.some((one) => /^host:/i.test(one)) ? [] : [`Host: ${host}`]
  return `${line} HTTP/1.1\r\n${[...own, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`
}
