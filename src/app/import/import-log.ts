/**
 * Takes in the log of a run that was made elsewhere: refused whole, with the lines, if anything in it is bad; the same again adds
 * nothing; a key with other content keeps the first event and is told. Nobody drives such a run here.
 */
import type { KeyVersion } from '../../core/events/imported.ts'
import { fail, KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import type { RunStatus } from '../../core/run/state/transitions.ts'
import type { Random } from '../../ports/random.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { mustFitNames } from '../log/fitting.ts'
import type { Principal } from '../principal.ts'
import { fitsKey, upTo } from '../verify/chain.ts'
import { appendPrepared, prepareWrites, type PreparedWrite } from './append-open.ts'
import { wrongTransitions, type WrongWrite } from './check-transitions.ts'
import { createImported, importableRun, sumUp } from './imported-row.ts'
import { knownEvents, type KnownEvents } from './known-events.ts'
import { readForeignLog, type ForeignLog } from './read-foreign.ts'

export interface ImportOptions {
  /** The formula of the log's keys (IDM-06). Default: `v1`; the other is then refused. */
  readonly keyVersion?: KeyVersion
  /** An event that is stored already is an error. Default: it is counted. */
  readonly strict?: boolean
  /** For the places of problems. */
  readonly file?: string
}

export interface ImportedLog {
  readonly runId: string
  readonly status: RunStatus
  readonly added: number
  /** Events that were stored already. */
  readonly known: number
  /** Of these, the ones with other content than the stored event, which was kept. */
  readonly mismatches: readonly { readonly line: number; readonly eventType: string; readonly runSeq: number }[]
  /** Events of types that this version does not know. */
  readonly ignored: ForeignLog['ignored']
  /** Fields that this version does not know. */
  readonly leftOut: ForeignLog['leftOut']
}

export interface ImportParts {
  readonly store: RunStore
  readonly random: Random
  readonly principal: Principal
}

export async function importLog(
  { store, random, principal }: ImportParts,
  text: string,
  options: ImportOptions = {},
): Promise<ImportedLog> {
  const { keyVersion = 'v1' } = options
  const log = placed(options.file, () => readForeignLog(text, principal, random))
  const lines = log.writes.map(({ line }) => line)
  const { identity } = log
  mustFitNames({ ...identity })
  const given = log.writes.map(({ write }) => write)
  const prepared = placed(options.file, () => prepareWrites(given, identity, keyVersion), lines)
  const before = await importableRun(store, identity)
  const known = await knownEvents(store, before?.runKey)
  needSameFormula(identity.runId, known, keyVersion)
  refuseAll(wrongWrites(prepared, known, keyVersion), lines, options.file)
  if (options.strict === true) refuseAll(repeated(prepared, known), lines, options.file)
  const row = before ?? (await createImported(store, identity, log.planSha256))
  const results = await appendPrepared(store, row, prepared, random, keyVersion)
  const { runId, status } = await sumUp(store, row)
  const added = results.filter(({ persisted }) => persisted).length
  return {
    runId,
    status,
    added,
    known: results.length - added,
    mismatches: results.flatMap(({ conflict, runSeq }, index) =>
      conflict === true ? [{ line: lines[index] ?? 0, eventType: prepared[index]?.write.eventType ?? '', runSeq }] : [],
    ),
    ignored: log.ignored,
    leftOut: log.leftOut,
  }
}

function wrongWrites(
  prepared: readonly PreparedWrite[],
  known: KnownEvents,
  keyVersion: KeyVersion,
): readonly WrongWrite[] {
  const stored = known.keys.size
  const unraised = prepared.flatMap(({ write }, index): readonly WrongWrite[] => {
    if (fitsKey(write, () => upTo(stored + index + 1), keyVersion)) return []
    const message = `${write.eventType}: idempotencyKey is that of no decision before it.`
    return [{ index, problem: problem('SCHEMA_VALIDATION_FAILED', message) }]
  })
  return [...unraised, ...wrongTransitions(prepared, known)].sort((a, b) => a.index - b.index)
}

function repeated(prepared: readonly PreparedWrite[], { keys }: KnownEvents): readonly WrongWrite[] {
  const seen = new Set<string>()
  return prepared.flatMap(({ idempotencyKey, write }, index) => {
    const seq = keys.get(idempotencyKey)
    const isRepeat = seen.has(idempotencyKey)
    seen.add(idempotencyKey)
    if (seq === undefined && !isRepeat) return []
    const where = seq === undefined ? 'An earlier line' : `Event ${seq} of the run`
    return [{ index, problem: problem('IDEMPOTENCY_KEY_EXISTS', `${where} has the key of this ${write.eventType}.`) }]
  })
}

/** One formula for all events of a run: with two, one event would have two keys. */
function needSameFormula(runId: string, { keyVersion: used }: KnownEvents, asked: KeyVersion): void {
  if (used !== undefined && used !== asked)
    fail('SCHEMA_VALIDATION_FAILED', `run ${runId} has keys of formula ${used}, not ${asked}`)
}

function refuseAll(wrong: readonly WrongWrite[], lines: readonly number[], file: string | undefined): void {
  const [first, ...others] = wrong.map((one) => at(one.problem, lines[one.index] ?? 0, file))
  if (first !== undefined) throw new KeelsonError([first, ...others])
}

function at(found: Problem, line: number, file: string | undefined): Problem {
  const { pointer: _pointer, ...others } = found
  return { ...others, at: { line, column: 1, ...(file === undefined ? {} : { file }) } }
}

/** What is thrown names the line of each problem, and the file. */
function placed<T>(file: string | undefined, work: () => T, lines: readonly number[] = []): T {
  try {
    return work()
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    const lineOf = ({ at: place, pointer }: Problem): number => place?.line ?? lines[Number(pointer?.slice(1))] ?? 1
    const [first, ...others] = thrown.problems
    throw new KeelsonError([at(first, lineOf(first), file), ...others.map((one) => at(one, lineOf(one), file))])
  }
}
