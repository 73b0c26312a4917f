/** A client that starts runs under idempotency keys, and repeats a start at either server until it has its answer. */
import { setTimeout as pause } from 'node:timers/promises'

/** After a refusal that says "later": the server is behind, or is on its way down. */
const AGAIN_MS = 50
const LATER: ReadonlySet<number> = new Set([429, 503])
/** A server that was killed in the middle of an answer may leave its connection silent. */
const SILENT_MS = 30_000

export interface Started {
  readonly key: string
  /** Of every answer that came; they should all be one. */
  readonly executionIds: readonly string[]
}

export class Starts {
  readonly started: Started[] = []
  /** Answers that a client should never see. */
  readonly wrong: string[] = []
  repeats = 0
  readonly #urls: readonly string[]
  #count = 0
  #isOver = false

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  /** So many at a time, until `end`. Every third start goes to both servers at once. */
  async run(concurrency: number): Promise<void> {
    const one = async (): Promise<void> => {
      while (!this.#isOver) {
        const n = (this.#count += 1)
        const key = `start-${n}`
        const at = n % 3 === 0 ? [0, 1] : [n % 2]
        const executionIds = await Promise.all(at.map((first) => this.#start(key, n, first)))
        this.started.push({ key, executionIds })
      }
    }
    await Promise.all(Array.from({ length: concurrency }, one))
  }

  end(): void {
    this.#isOver = true
  }

  /** The same start again, after everything: its answer is kept, or its run is found. */
  again({ key }: Started): Promise<string> {
    return this.#start(key, Number(key.slice('start-'.length)), 0)
  }

  async #start(key: string, n: number, first: number): Promise<string> {
    for (let turn = first; ; turn += 1) {
      const url = this.#urls[turn % this.#urls.length] ?? ''
      const answer = await this.#ask(url, key, n).catch(() => undefined)
      if (answer?.status === 202) return (answer.body as { readonly executionId: string }).executionId
      if (answer !== undefined && !LATER.has(answer.status))
        this.wrong.push(`${key}: ${answer.status} ${JSON.stringify(answer.body)}`)
      this.repeats += 1
      await pause(AGAIN_MS)
    }
  }

  async #ask(url: string, key: string, n: number): Promise<{ readonly status: number; readonly body: unknown }> {
    const response = await fetch(`${url}/v1/executions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ planId: 'quick', input: { n } }),
      signal: AbortSignal.timeout(SILENT_MS),
    })
    return { status: response.status, body: await response.json() }
  }
}
