/**
 * What operations of the differential test are made of: a seeded source, the runs as the oracle has them, a call to be made
 * on every store alike, and the answers that count as a success.
 */
import type { CommitResult, RunCommit, RunRow, RunStatus, RunStore } from '../../src/ports/run-store.ts'
import { newRun, summary } from '../../src/testing/store/run-fixtures.ts'

export interface Chance {
  /** 0 … below − 1. */
  below(limit: number): number
  pick<const T>(items: readonly [T, ...T[]]): T
}

export interface Scene {
  readonly chance: Chance
  /** The rows of all runs, as the oracle has them. */
  readonly rows: readonly RunRow[]
  readonly now: number
}

export interface Move {
  readonly call: (store: RunStore) => Promise<unknown>
  readonly succeeded?: (answer: unknown) => boolean
}

export type Operation = (scene: Scene) => Move
export type Operations = Readonly<Record<string, Operation>>

export const TENANTS = ['tenant-a', 'tenant-b'] as const
export const STATUSES: readonly [RunStatus, ...RunStatus[]] = ['PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED']
export const SLOTS = ['a', 'b', 'c', 'd[1]', 'ü'] as const

/** Mostly one of a few, so that operations meet what others left. */
export function anyRow({ chance, rows }: Scene): RunRow {
  const row = rows[chance.below(chance.below(4) === 0 ? rows.length : Math.min(2, rows.length))]
  return row ?? { ...newRun({ runId: 'none' }), ...summary(), ...NOWHERE }
}

const NOWHERE = { runKey: 404, epoch: 1, nextSeq: 1, headHash: new Uint8Array(32), createdAt: 0, updatedAt: 0 }

export const committed = (answer: unknown): boolean =>
  (answer as readonly CommitResult[]).some(({ kind }) => kind === 'committed')
export const refused = (kind: CommitResult['kind']) => (answer: unknown) =>
  (answer as readonly CommitResult[]).some((result) => result.kind === kind)
export const found = (answer: unknown): boolean => answer !== undefined
export const some = (answer: unknown): boolean => (answer as { readonly length: number }).length > 0
export const yes = (answer: unknown): boolean => answer === true
export const hasKind = (kind: string) => (answer: unknown) => (answer as { readonly kind: string }).kind === kind

export function commitMove(batch: readonly RunCommit[], succeeded: (answer: unknown) => boolean): Move {
  return { call: (store) => store.commit(batch), succeeded }
}
