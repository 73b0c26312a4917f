/**
 * The token of a task as it is given to somebody outside: with the run that it is of, so that the run is found without a search. It
 * says nothing that its holder does not know, and nothing of it is stored (MAN-02, P-35).
 */
import { LIMITS } from '../../core/limits.ts'

export interface TaskAddress {
  readonly runId: string
  readonly token: string
}

export function taskAddress({ runId, token }: TaskAddress): string {
  return Buffer.from(`${token} ${runId}`).toString('base64url')
}

/** Undefined for a text that is none. */
export function readTaskAddress(text: string): TaskAddress | undefined {
  const bytes = Buffer.from(text, 'base64url')
  const [token = '', ...rest] = bytes.toString('utf8').split(' ')
  const runId = rest.join(' ')
  const isWhole = runId !== '' && token !== '' && Buffer.byteLength(runId) <= LIMITS.nameBytes && !runId.includes('\0')
  return isWhole && taskAddress({ runId, token }) === text ? { runId, token } : undefined
}
