/**
 * What the processes of the fleet write down for the judge, one line of JSON per fact, appended with O_APPEND so that a
 * process that is killed loses at most the fact it had not begun to write. The product knows nothing of these files.
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** The driver asked for something, and was told that it is done. */
export interface Acknowledgement {
  readonly at: number
  readonly kind: 'start' | 'signal'
  readonly runId: string
  /** The client's id of a start; the signal's id of a signal. */
  readonly id: string
  readonly plan?: string
  readonly signalType?: string
}

/** A handler began to act. */
export interface Effect {
  readonly at: number
  readonly worker: string
  readonly runId: string
  readonly stepId: string
  readonly itemIndex?: number
  readonly attempt: number
  readonly engineAttempt: number
  readonly undoing: boolean
  readonly idempotencyKey: string
}

/** A run's part of a commit, before it went to the store and when the store had answered. */
export interface CommitLine {
  readonly at: number
  readonly worker: string
  /** Both lines of one commit have the same. */
  readonly id: string
  readonly phase: 'sent' | 'answered' | 'in doubt'
  readonly runKey: number | undefined
  readonly epoch: number
  readonly newEpoch?: number
  readonly firstSeq: number
  /** Chain hashes of its events, hex. */
  readonly hashes: readonly string[]
  readonly answer?: string
}

/** A process that began to live, lost a run, or ended in a way it should not. */
export interface LifeLine {
  readonly at: number
  readonly worker: string
  readonly kind: 'up' | 'lost' | 'unexpected'
  readonly detail: string
}

export type Journal = 'acknowledgements' | 'effects' | 'commits' | 'lives'

/** Returns the way to append to it. */
export function openJournal<T>(folder: string, name: Journal): (line: T) => void {
  const file = openSync(join(folder, `${name}.jsonl`), 'a')
  process.once('exit', () => closeSync(file))
  return (line) => void writeSync(file, `${JSON.stringify(line)}\n`)
}

/** A last line without its end was being written when its writer was killed: nobody relied on it yet. */
export function readJournal<T>(folder: string, name: Journal): readonly T[] {
  const path = join(folder, `${name}.jsonl`)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as T]
    } catch {
      return []
    }
  })
}
