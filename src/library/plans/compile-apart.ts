/**
 * The fence for a stranger's text: every door by which the text of a plan or of a foreign workflow comes in leads through here
 * (test/arch/plan-text.test.ts). A long one is a program for our parser: it is read in a thread that may be ended, by time and
 * by memory, and this process lives on (ADR 0009). Short ones are read here at once: what they can cost is bounded by their length.
 */
import { promisify } from 'node:util'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { gunzip } from 'node:zlib'
import { compilePlan, type CompiledPlan } from '../../app/plans/compile.ts'
import { importPlan, type ForeignText, type ImportedPlan, type ImportOptions } from '../../app/plans/import-plan.ts'
import { readSource, type ReadSource, type SourceOptions } from '../../app/sources/read-source.ts'
import { utf8Fault } from '../../core/json/utf8-fault.ts'
import { vouch } from '../../app/plans/plan-source.ts'
import { LIMITS } from '../../core/limits.ts'
import type { ReadOptions } from '../../core/plan/read/read-document.ts'
import { fail, problem } from '../../core/problems/problem.ts'
import { refused, type Result } from '../../core/result.ts'
import type { WatchedTask } from './compile-thread.ts'
import { THREAD, watchJob, type Bounds, type Done, type Job, type JobResult } from './watched-job.ts'

/** For the watcher to say that time is up. */
const SPARE_MS = 5_000
const BOUNDS: Bounds = { maxMs: LIMITS.planCompileMs, maxMegabytes: LIMITS.planCompileMegabytes }

/** Whoever calls waits: for a command, and for a program that loads its plans. */
export function compileText(text: string, options: ReadOptions = {}): Result<CompiledPlan> {
  return isReadHere(text) ? compilePlan(text, options) : readApart({ text, options }, BOUNDS)
}

/** For whoever serves others meanwhile: the loop goes on turning. The bytes were compared with their hash before. */
export async function readSourceAside(
  bytes: Uint8Array,
  packed: 'gzip' | 'none',
  how: SourceOptions = {},
): Promise<Result<ReadSource>> {
  const source = textOf(packed === 'gzip' ? await unpacked(bytes) : bytes)
  return isReadHere(source) ? readSource(source, how) : answerOf(await watchJob({ source, how }, BOUNDS), BOUNDS)
}

/** A small packet may hold a very large text: no more of it than a plan may have is unpacked. */
async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: LIMITS.planBytes })
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      return fail('PLAN_TOO_LARGE', `unpacked, the plan has more than ${LIMITS.planBytes} bytes`)
    return fail('PLAN_REF_INVALID', 'the bytes of the plan are not packed with gzip', { pointer: '/compression' })
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const { message, line, column } = utf8Fault(bytes)
    return fail('PLAN_SYNTAX', message, { at: { line, column } })
  }
}

export function readSourceText(source: string, how: SourceOptions): Result<ReadSource> {
  return isReadHere(source) ? readSource(source, how) : readApart({ source, how }, BOUNDS)
}

export function importText(workflow: ForeignText, how: ImportOptions = {}): Result<ImportedPlan> {
  const isHere = [workflow, ...(how.matrices ?? [])].every(({ text }) => isReadHere(text))
  return isHere ? importPlan(workflow, how) : readApart({ workflow, how }, BOUNDS)
}

/** What is too large is refused unread. */
function isReadHere(text: string): boolean {
  return text.length <= LIMITS.planTextHereChars || text.length > LIMITS.planBytes
}

/** Waits without turning the loop, as reading here would: but not for ever, and not with the whole of our memory. */
export function readApart<J extends Job>(job: J, bounds: Bounds): JobResult<J> {
  const { port1, port2 } = new MessageChannel()
  const done = new Int32Array(new SharedArrayBuffer(4))
  const workerData: WatchedTask = { ...bounds, job, done, port: port2 }
  const watcher = new Worker(THREAD, { workerData, transferList: [port2] })
  watcher.unref()
  Atomics.wait(done, 0, 0, bounds.maxMs + SPARE_MS)
  const answer = receiveMessageOnPort(port1)?.message as Done<J> | undefined
  port1.close()
  void watcher.terminate()
  return answerOf(answer ?? { ended: 'time' }, bounds)
}

function answerOf<J extends Job>(answer: Done<J>, bounds: Bounds): JobResult<J> {
  if ('fault' in answer) throw answer.fault
  const { result } = answer
  if (result === undefined) return tooCostly(answer.ended, bounds)
  // Copies, which nobody has vouched for on this side.
  if (result.ok) vouch('compiled' in result.value ? result.value.compiled : result.value)
  return result
}

function tooCostly(ended: 'time' | 'memory', { maxMs, maxMegabytes }: Bounds): Result<never> {
  const what = ended === 'time' ? `more than ${maxMs / 1000} s` : `more than ${maxMegabytes} MB of memory`
  return refused(problem('PLAN_TOO_COSTLY', `reading the plan takes ${what}; it was stopped`))
}
