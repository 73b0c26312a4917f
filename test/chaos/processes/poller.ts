/**
 * A reader that follows every run by its high-water mark, as a screen would: it asks only for what is above the last number
 * it saw. What it has seen at the end must be the whole log, in order.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Look } from './look.ts'

const POLL_MS = 150
const NEWER = `SELECT e.run_key, e.seq FROM keelson.events e
  LEFT JOIN unnest($1::bigint[], $2::bigint[]) AS mark(run_key, seq) ON mark.run_key = e.run_key
  WHERE e.seq > coalesce(mark.seq, 0) ORDER BY e.run_key, e.seq`

export class Poller {
  readonly seen = new Map<number, number[]>()
  readonly #look: Look
  #polls = 0
  #stopping = false
  #done: Promise<void> | undefined

  constructor(look: Look) {
    this.#look = look
  }

  get polls(): number {
    return this.#polls
  }

  start(): void {
    this.#done = this.#follow()
  }

  /** Looks once more and ends. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#done
    await this.#poll()
  }

  async #follow(): Promise<void> {
    while (!this.#stopping) {
      await this.#poll()
      await pause(POLL_MS)
    }
  }

  async #poll(): Promise<void> {
    this.#polls += 1
    const marks = [...this.seen].map(([runKey, seqs]) => [runKey, seqs.at(-1) ?? 0] as const)
    const rows = await this.#look.rows(NEWER, [marks.map(([key]) => key), marks.map(([, seq]) => seq)])
    for (const row of rows) {
      const key = Number(row['run_key'])
      const seqs = this.seen.get(key) ?? []
      seqs.push(Number(row['seq']))
      this.seen.set(key, seqs)
    }
  }
}
