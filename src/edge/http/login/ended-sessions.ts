/**
 * Sessions that a logout ended before their time, as this process remembers them, and who is told of an end. What is remembered is bounded
 * and never forgets an ended session: when it is full, every session that began as early as the oldest of them is refused, too.
 */
import { LIMITS } from '../../../core/limits.ts'

export interface SessionTimes {
  readonly sessionId: string
  /** Epoch milliseconds. */
  readonly begunAt: number
  readonly endsAt: number
}

/** Timers take no longer time. */
const TIMER_MS = 2 ** 31 - 1

export class EndedSessions {
  readonly #ended = new Map<string, SessionTimes>()
  readonly #watched = new Map<string, Set<() => void>>()
  #refusedUntil = -Infinity

  end(session: SessionTimes, now: number): void {
    this.#ended.set(session.sessionId, session)
    if (this.#ended.size > LIMITS.endedSessions) this.#makeRoom(now)
    for (const tell of this.#watched.get(session.sessionId) ?? []) tell()
  }

  isEnded({ sessionId, begunAt }: SessionTimes): boolean {
    return begunAt <= this.#refusedUntil || this.#ended.has(sessionId)
  }

  /** Told once, when the session ends or is ended. The result takes it back. */
  watch({ sessionId, endsAt }: Pick<SessionTimes, 'sessionId' | 'endsAt'>, now: number, tell: () => void): () => void {
    const watchers = this.#watched.get(sessionId) ?? new Set()
    this.#watched.set(sessionId, watchers.add(tell))
    const timer = setTimeout(tell, Math.min(Math.max(0, endsAt - now), TIMER_MS)).unref()
    return () => {
      clearTimeout(timer)
      watchers.delete(tell)
      if (watchers.size === 0) this.#watched.delete(sessionId)
    }
  }

  #makeRoom(now: number): void {
    for (const { sessionId, endsAt } of this.#ended.values()) if (endsAt <= now) this.#ended.delete(sessionId)
    if (this.#ended.size <= LIMITS.endedSessions) return
    const oldest = [...this.#ended.values()].reduce((one, other) => (other.begunAt < one.begunAt ? other : one))
    this.#refusedUntil = Math.max(this.#refusedUntil, oldest.begunAt)
    for (const { sessionId, begunAt } of this.#ended.values())
      if (begunAt <= this.#refusedUntil) this.#ended.delete(sessionId)
  }
}
