/**
 * From SQLite's result codes to the product's: one clear KeelsonError that names the file and says what to do. Errors
 * that are not SQLite's are defects and pass unchanged.
 */
import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { KeelsonError, problem } from '../../../core/problems/problem.ts'
import type { ProblemCode } from '../../../core/problems/registry.ts'

interface SqliteError extends Error {
  readonly errcode: number
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}

/** The low byte is the family; the rest is the member. */
function family(error: unknown): number | undefined {
  return isSqliteError(error) ? error.errcode & 0xff : undefined
}

const BUSY = 5
const LOCKED = 6
const READ_ONLY = 8
const READ_ONLY_ROLLBACK = 776
const CANNOT_OPEN = 14
const CONSTRAINT = 19

export function isBusy(error: unknown): boolean {
  const code = family(error)
  return code === BUSY || code === LOCKED
}

/** The database exists, but SQLite could not open or create a file beside it. */
export function cannotOpen(error: unknown): boolean {
  const code = family(error)
  return code === CANNOT_OPEN || code === READ_ONLY
}

/** A transaction that its process did not finish is to be taken back, and this connection may not write. */
export function needsRollback(error: unknown): boolean {
  return isSqliteError(error) && error.errcode === READ_ONLY_ROLLBACK
}

/** Events that must not be stored as they are. */
export class BrokenConstraint extends Error {
  readonly field: string

  constructor(field: 'idempotencyKey' | 'terminalSlot' | 'chainHash' | 'salt') {
    super(`The events break the constraint of ${field}.`)
    this.field = field
  }
}

/** The field whose unique index, check or trigger refused; undefined for any other error. */
export function brokenConstraint(error: unknown): string | undefined {
  if (error instanceof BrokenConstraint) return error.field
  if (!isSqliteError(error) || family(error) !== CONSTRAINT || isLogGuard(error)) return undefined
  return error.message.includes('appends.last_seq') ? 'runSeq' : error.message
}

/** One of our own triggers refused: the guards of the schema were changed, which concerns more than one run. */
const isLogGuard = (error: SqliteError): boolean => error.message.startsWith('EVENTS_APPEND_ONLY')

const FAMILIES: Readonly<Record<number, readonly [ProblemCode, string]>> = {
  5: ['STORE_LOCKED', 'is locked by another process'],
  6: ['STORE_LOCKED', 'is locked by another connection'],
  8: ['STORE_READ_ONLY', 'cannot be written'],
  11: ['STORE_CORRUPT', 'is damaged'],
  13: ['STORE_FULL', 'cannot grow: the disk is full'],
  26: ['STORE_CORRUPT', 'is not a SQLite database'],
}

export function storeFailure(error: unknown, path: string): unknown {
  if (error instanceof KeelsonError || !isSqliteError(error)) return error
  if (isLogGuard(error)) return new KeelsonError([problem('EVENTS_APPEND_ONLY', `${path}: ${error.message}.`)])
  const [code, what] = FAMILIES[error.errcode & 0xff] ??
    lacking(error) ??
    unwritable(path) ?? ['STORE_UNAVAILABLE', 'could not be read or written']
  return new KeelsonError([problem(code, `The database ${path} ${what} (${error.message}).`)], { cause: error })
}

/** Opening brings every file up to date: if a statement names something that does not exist, somebody removed it. */
function lacking({ message }: SqliteError): readonly [ProblemCode, string] | undefined {
  const isGone = /^no such (table|column)|has no column named/.test(message)
  return isGone ? ['STORE_ALTERED', 'lacks a part of its schema'] : undefined
}

/** A writer needs the file and its folder: SQLite keeps a -wal and a -shm file beside the database. */
export function unwritable(path: string): readonly [ProblemCode, string] | undefined {
  for (const place of [dirname(path), path]) {
    try {
      accessSync(place, constants.W_OK)
    } catch (reason) {
      if (reason instanceof Error && 'code' in reason && reason.code === 'ENOENT') continue
      return ['STORE_READ_ONLY', place === path ? 'cannot be written' : 'lies in a folder that cannot be written']
    }
  }
  return undefined
}
