/**
 * From SQLSTATE and socket errors to the product's codes: one clear KeelsonError that names the database, never its
 * password, and says what to do. Errors of neither the server nor the connection are defects and pass unchanged.
 */
import { KeelsonError, problem } from '../../../core/problems/problem.ts'
import type { ProblemCode } from '../../../core/problems/registry.ts'

interface CodedError extends Error {
  readonly code: string
  readonly constraint?: string
}

function stateOf(error: unknown): string | undefined {
  return isServerError(error) ? error.code : undefined
}

/** SQLSTATE has five characters; Node's own codes have more. */
function isServerError(error: unknown): error is CodedError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
}

/** The server rolled the transaction back to resolve a conflict of two: another try is worthwhile. */
export function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes(stateOf(error) ?? '')
}

/** The server's error for a transaction that must be repeated, for conflicts that only we can see. */
export function serializationFailure(message: string): Error {
  return Object.assign(new Error(message), { code: '40001' })
}

/** Whether the connection can be used again after this error. */
export function isConnectionUsable(error: unknown): boolean {
  const state = stateOf(error)
  return state !== undefined && !/^(08|57P|58|XX)/.test(state)
}

const FIELDS: Readonly<Record<string, string>> = {
  events_run_seq: 'runSeq',
  events_idempotency_key: 'idempotencyKey',
  idempotency_key_bytes: 'idempotencyKey',
  events_terminal_slot: 'terminalSlot',
  chain_hash_bytes: 'chainHash',
  salt_with_data: 'salt',
}

/** The field whose unique index, check, type or trigger refused; undefined for any other error. */
export function brokenConstraint(error: unknown): string | undefined {
  if (!isServerError(error) || !/^(22|23|P0001)/.test(error.code)) return undefined
  return FIELDS[error.constraint ?? ''] ?? error.message
}

type Meaning = readonly [ProblemCode, string]

const STATES: Readonly<Record<string, Meaning>> = {
  '40001': ['STORE_LOCKED', 'kept choosing other transactions before this one'],
  '40P01': ['STORE_LOCKED', 'kept choosing other transactions before this one'],
  '55P03': ['STORE_LOCKED', 'has a row that another transaction holds'],
  '25006': ['STORE_READ_ONLY', 'accepts no writes: it is a standby, or was set to read only'],
  '42501': ['STORE_READ_ONLY', 'does not allow this role to do that'],
  // Opening brings the schema up to date: if a statement names something that does not exist, somebody removed it.
  '42P01': ['STORE_ALTERED', 'lacks a part of its schema'],
  '42703': ['STORE_ALTERED', 'lacks a part of its schema'],
  '42883': ['STORE_ALTERED', 'lacks a part of its schema'],
  '53100': ['STORE_FULL', 'cannot grow: the disk is full'],
  '53300': ['STORE_UNAVAILABLE', 'has no connection left'],
  '3D000': ['STORE_NOT_FOUND', 'does not exist'],
  '28P01': ['STORE_ACCESS_DENIED', 'refused the password'],
  '28000': ['STORE_ACCESS_DENIED', 'refused this role'],
}
const CLASSES: Readonly<Record<string, Meaning>> = {
  '57': ['STORE_UNAVAILABLE', 'was stopped or is starting'],
  XX: ['STORE_CORRUPT', 'is damaged'],
}
const NO_ANSWER: Meaning = ['STORE_UNAVAILABLE', 'did not answer']

export function storeFailure(error: unknown, database: string): unknown {
  if (error instanceof KeelsonError || !(isServerError(error) || isConnectionError(error))) return error
  const state = stateOf(error)
  const [code, what] =
    state === undefined ? NO_ANSWER : (STATES[state] ?? CLASSES[state.slice(0, 2)] ?? ['STORE_UNAVAILABLE', 'failed'])
  const told = error.message === '' ? 'no reason given' : error.message
  return new KeelsonError([problem(code, `The database ${database} ${what} (${told}).`)], { cause: error })
}

const SOCKET = /^(E[A-Z]+|ERR_SOCKET.*|ERR_SSL.*|ERR_TLS.*)$/
/** The driver's own errors about a connection carry no code. */
const SPOKEN = /connection|connect|timeout|not queryable|SSL|SASL|socket/i

function isConnectionError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string') return SOCKET.test(error.code)
  return error.constructor !== TypeError && SPOKEN.test(error.message)
}
