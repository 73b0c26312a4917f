/** One connection that asks one request after another and reads of each answer what a bench needs: its status and when to come back. */
import { connect, type Socket } from 'node:net'

export interface Answer {
  /** 0: no answer. */
  readonly status: number
  readonly retryAfter: string | undefined
}

const NONE: Answer = { status: 0, retryAfter: undefined }
const END_OF_HEAD = '\r\n\r\n'

export class KeptConnection {
  readonly #address: URL
  #socket: Socket | undefined
  #arrived = ''
  #told: ((answer: Answer) => void) | undefined

  constructor(address: URL) {
    this.#address = address
  }

  /** The whole request as it is sent. */
  ask(request: string): Promise<Answer> {
    return new Promise((resolve) => {
      this.#told = resolve
      this.#socket ??= this.#opened()
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #opened(): Socket {
    const socket = connect({ host: this.#address.hostname, port: Number(this.#address.port), noDelay: true })
    socket.setEncoding('latin1')
    socket.on('data', (part: string) => this.#take(part))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined
      this.#arrived = ''
      this.#answer(NONE)
    })
    return socket
  }

  #take(part: string): void {
    this.#arrived += part
    const head = this.#arrived.indexOf(END_OF_HEAD)
    if (head === -1) return
    const lines = this.#arrived.slice(0, head)
    const length = Number(/^content-length: (\d+)/im.exec(lines)?.[1] ?? 0)
    if (this.#arrived.length < head + END_OF_HEAD.length + length) return
    this.#arrived = ''
    // The next request needs a connection of its own.
    if (/^connection: close/im.test(lines)) this.#socket = undefined
    this.#answer({ status: Number(lines.slice(9, 12)), retryAfter: /^retry-after: (.*)/im.exec(lines)?.[1] })
  }

  #answer(answer: Answer): void {
    const told = this.#told
    this.#told = undefined
    told?.(answer)
  }
}
