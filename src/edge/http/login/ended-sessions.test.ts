/** What a process remembers of logouts: bounded, and never less than was ended. */
import { expect, it } from 'vitest'
import { LIMITS } from '../../../core/limits.ts'
import { EndedSessions, type SessionTimes } from './ended-sessions.ts'

const session = (begunAt: number, endsAt = 1_000_000): SessionTimes => ({
  sessionId: `s${begunAt}`,
  begunAt,
  endsAt,
})

it('forgets what is over by itself before it refuses sessions that nobody ended', () => {
  const ended = new EndedSessions()
  for (let at = 1; at <= LIMITS.endedSessions; at += 1) ended.end(session(at, at === 1 ? 50 : 1_000_000), 10)
  ended.end(session(20_000), 60)
  expect(ended.isEnded(session(0))).toBe(false)
  expect([2, 20_000].map((at) => ended.isEnded(session(at)))).toEqual([true, true])
})

it('when it is full, all sessions that began as early as the oldest are over, and the others count', () => {
  const ended = new EndedSessions()
  for (let at = 100; at <= 100 + LIMITS.endedSessions; at += 1) ended.end(session(at), 10)
  const told = [1, 99, 100, 101, 100 + LIMITS.endedSessions, 101 + LIMITS.endedSessions]
  expect(told.map((at) => ended.isEnded(session(at)))).toEqual([true, true, true, true, true, false])
})

it('tells who watches a session once it is ended, and nobody who left', () => {
  const ended = new EndedSessions()
  const told: string[] = []
  const leave = ended.watch(session(1), 10, () => told.push('left'))
  ended.watch(session(1), 10, () => told.push('stayed'))
  ended.watch(session(2), 10, () => told.push('another'))
  leave()
  ended.end(session(1), 10)
  expect(told).toEqual(['stayed'])
})
