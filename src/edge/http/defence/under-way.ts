/** Requests that are under way: the server waits for them when it stops, and a broken connection is told only if nothing was answered on it yet. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export class UnderWay {
  readonly #answers = new WeakMap<Socket, ServerResponse>()
  #count = 0
  #whenNone: (() => void) | undefined

  add(answer: ServerResponse): void {
    this.#count += 1
    if (answer.socket !== null) this.#answers.set(answer.socket, answer)
    // Comes once for each, also when the caller has gone.
    answer.once('close', () => {
      this.#count -= 1
      if (this.#count === 0) this.#whenNone?.()
    })
  }

  /** Whether bytes of an unfinished answer were sent on this connection. */
  isAnswered(socket: Socket): boolean {
    const answer = this.#answers.get(socket)
    return answer !== undefined && answer.headersSent && !answer.writableFinished
  }

  /** Resolves when none is left, or after this long. */
  async ended(mostMs: number): Promise<void> {
    if (this.#count === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve
      timer = setTimeout(resolve, mostMs)
    })
    clearTimeout(timer)
  }
}
