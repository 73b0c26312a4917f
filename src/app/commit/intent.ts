/**
 * An intent as one line of text and back: exactly the sealed commit, after the hash of its own text. A line that a
 * crash tore was never acted on and is ignored.
 */
import type { RunCommit, RunRef, SealedEvent } from '../../ports/run-store.ts'
import { bytesOfHex, hexOf, sha256Hex } from '../log/sha256.ts'

export interface Intent {
  readonly run: RunRef
  /** Events and summary only; nothing that needs another row of the store. */
  readonly commit: Pick<RunCommit, 'expected' | 'events' | 'summary'>
}

const HASH_CHARS = 64

export function intentLine({ run, commit }: Intent): string {
  const { expected, summary } = commit
  const events = commit.events.map((event) => ({
    ...event,
    idempotencyKey: hexOf(event.idempotencyKey),
    chainHash: hexOf(event.chainHash),
    ...(event.salt === undefined ? {} : { salt: hexOf(event.salt) }),
  }))
  const text = JSON.stringify({ run, commit: { expected, summary, events } })
  return sha256Hex(text) + text
}

type Written = Omit<SealedEvent, 'idempotencyKey' | 'chainHash' | 'salt'> & {
  readonly idempotencyKey: string
  readonly chainHash: string
  readonly salt?: string
}

export function intentOf(line: string): Intent | undefined {
  const text = line.slice(HASH_CHARS)
  if (line.slice(0, HASH_CHARS) !== sha256Hex(text)) return undefined
  const { run, commit } = JSON.parse(text) as {
    run: RunRef
    commit: Omit<Intent['commit'], 'events'> & { events: Written[] }
  }
  const events = commit.events.map(({ salt, ...event }) => ({
    ...event,
    idempotencyKey: bytesOfHex(event.idempotencyKey),
    chainHash: bytesOfHex(event.chainHash),
    ...(salt === undefined ? {} : { salt: bytesOfHex(salt) }),
  }))
  return { run, commit: { ...commit, events } }
}
