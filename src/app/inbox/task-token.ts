/**
 * The token of an open manual task: an HMAC over tenant, run, slot, attempt, opening and the number of changes to the
 * run, derived each time and never stored (P-35). The parts are written as JSON, so that different parts never give the
 * same text, whatever characters they hold.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SigningKey } from '../../ports/signing-keys.ts'

export interface TaskName {
  readonly tenantId: string
  readonly runId: string
  readonly slot: string
  readonly attempt: number
  readonly opening: number
  /** People have not seen changes made after they were asked: they are asked again, under another token. */
  readonly changes: number
}

export function taskToken(key: SigningKey, { tenantId, runId, slot, attempt, opening, changes }: TaskName): string {
  return signed(key, JSON.stringify(['task', tenantId, runId, slot, attempt, opening, changes]))
}

export function isTaskToken(key: SigningKey, task: TaskName, token: string): boolean {
  return isEqual(token, taskToken(key, task)) || (task.changes === 0 && isEqual(token, earlierToken(key, task)))
}

/** Tokens issued before tokens named their tenant: a task that was open then can still be completed. */
function earlierToken(key: SigningKey, { runId, slot, attempt, opening }: TaskName): string {
  return signed(key, `${runId}|${slot}|${attempt}|${opening}`)
}

function signed({ keyId, secret }: SigningKey, text: string): string {
  return `${keyId}.${createHmac('sha256', secret).update(text).digest('hex')}`
}

function isEqual(token: string, expected: string): boolean {
  const [given, wanted] = [Buffer.from(token), Buffer.from(expected)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
