/**
 * A remote worker: asks a server for steps, calls their functions, keeps its claims alive and reports. It stops when its signal is
 * aborted: it asks for nothing more then, and what it has begun is brought to its end.
 */
import type { AnswerOf, BodyOf } from '../core/api/contract.ts'
import { claimWork, heartbeatWork, reportWork } from '../core/api/work.ts'
import { needKnown, type OptionNames } from '../core/known-options.ts'
import { LIMITS } from '../core/limits.ts'
import { COUNT, FUNCTION, OBJECT, TEXT, TEXTS } from '../core/option-kinds.ts'
import type { Caller } from './caller.ts'
import type { Connection } from './connection.ts'
import { ServerError } from './server-error.ts'

type Claimed = AnswerOf<typeof claimWork>['work'][number]
type Report = BodyOf<typeof reportWork>
export type WorkArtifact = NonNullable<Report['artifacts']>[number]

/** What a function is told beside its input. Pass the `idempotencyKey` on: a step may be handed out again. */
export interface WorkContext extends Omit<Claimed, 'claim' | 'input' | 'secrets'> {
  /** Aborted when nobody waits for the step any more. */
  readonly signal: AbortSignal
  /** Empty unless the key of the worker may have secrets. */
  readonly secrets: Readonly<Record<string, string>>
  readonly addArtifact: (artifact: WorkArtifact) => void
  /** A line for people, kept as an artifact of the run when the step is reported; of very many the last. */
  readonly log: (line: string) => void
}

export type WorkFunction = (input: never, context: WorkContext) => unknown

export interface WorkOptions {
  readonly queues: readonly string[]
  /** By the names that plans call. */
  readonly handlers: Readonly<Record<string, WorkFunction>>
  /** The name it is listed under; default: that of its key. */
  readonly worker?: string
  readonly build?: string
  /** Steps at a time; default 1. */
  readonly atOnce?: number
  /** How long the server waits for a heartbeat. */
  readonly leaseMs?: number
  readonly signal?: AbortSignal
  /** Told what went wrong between it and the server; it goes on. */
  readonly onProblem?: (thrown: unknown) => void
}

const OPTIONS: OptionNames<WorkOptions> = {
  queues: TEXTS,
  handlers: OBJECT,
  worker: TEXT,
  build: TEXT,
  atOnce: COUNT,
  leaseMs: COUNT,
  signal: OBJECT,
  onProblem: FUNCTION,
}

const PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

interface Parts {
  readonly connection: Connection
  readonly call: Caller
  readonly options: WorkOptions
  readonly tell: (thrown: unknown) => void
}

export async function workOn(connection: Connection, call: Caller, options: WorkOptions): Promise<void> {
  needKnown('work', options, OPTIONS)
  const { atOnce = 1, signal = new AbortController().signal, onProblem: tell = () => undefined } = options
  const parts: Parts = { connection, call, options, tell }
  const busy = new Set<Promise<void>>()
  for (let failures = 0; !signal.aborted;) {
    if (busy.size >= atOnce) {
      await Promise.race(busy)
      continue
    }
    try {
      for (const claimed of await claimSome(parts, atOnce - busy.size, signal)) {
        const done = doOne(parts, claimed).finally(() => busy.delete(done))
        busy.add(done)
      }
      failures = 0
    } catch (thrown) {
      if (signal.aborted) break
      tell(thrown)
      await pause(connection, failures++, signal)
    }
  }
  await Promise.all(busy)
}

async function claimSome({ call, options }: Parts, max: number, signal: AbortSignal): Promise<readonly Claimed[]> {
  const { queues, handlers, worker, build, leaseMs } = options
  const named = {
    ...(worker === undefined ? {} : { worker }),
    ...(build === undefined ? {} : { build }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  }
  const most = Math.min(max, LIMITS.workClaims)
  const body = { queues, handlers: Object.keys(handlers), ...named, max: most, waitMs: LIMITS.workWaitMs }
  return (await call(claimWork, { body, signal })).work
}

/** Resolves early, and without an error, when the signal aborts. */
async function pause({ sleep }: Connection, failures: number, signal?: AbortSignal): Promise<void> {
  await sleep(Math.min(PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), signal).catch(() => undefined)
}

async function doOne(parts: Parts, claimed: Claimed): Promise<void> {
  const stopped = new AbortController()
  const isDone = new AbortController()
  const beating = beat(parts, claimed, stopped, isDone.signal)
  try {
    await send(parts, claimed, await called(parts.options, claimed, stopped.signal))
  } catch (thrown) {
    parts.tell(thrown)
  } finally {
    isDone.abort()
    await beating
  }
}

async function called({ handlers }: WorkOptions, claimed: Claimed, signal: AbortSignal): Promise<Report> {
  const { claim: _claim, input, secrets = {}, ...rest } = claimed
  const artifacts: WorkArtifact[] = []
  const lines: string[] = []
  const log = (line: string): void => {
    lines.push(line.slice(0, LIMITS.workLogLineChars))
    if (lines.length > LIMITS.workLogLines) lines.shift()
  }
  const context: WorkContext = { ...rest, secrets, signal, log, addArtifact: (one) => void artifacts.push(one) }
  const given = (): Pick<Report, 'artifacts' | 'log'> => ({
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(lines.length === 0 ? {} : { log: lines }),
  })
  try {
    const output = await handlers[claimed.handler]?.(input as never, context)
    return { outcome: 'completed', output: output ?? null, ...given() }
  } catch (thrown) {
    return { outcome: 'failed', error: errorOf(thrown), ...given() }
  }
}

function errorOf(thrown: unknown): NonNullable<Report['error']> {
  const { message, name, code, status, stack } = (thrown instanceof Error ? thrown : { message: String(thrown) }) as {
    readonly [part in 'message' | 'name' | 'code' | 'status' | 'stack']?: unknown
  }
  const texts = Object.entries({ name, code, stack }).flatMap(([part, text]) =>
    typeof text === 'string' && text !== ''
      ? [[part, text.slice(0, part === 'stack' ? LIMITS.errorTextBytes : 255)]]
      : [],
  )
  return {
    message: String(message).slice(0, LIMITS.errorTextBytes),
    ...Object.fromEntries(texts),
    ...(typeof status === 'number' && status >= 100 && status <= 599 ? { status } : {}),
  }
}

/** While the function works. A claim that is not held any more is another worker's: its work is stopped. */
async function beat(parts: Parts, claimed: Claimed, stopped: AbortController, isDone: AbortSignal): Promise<void> {
  const { connection, call, tell } = parts
  const { claim, heartbeatMs } = claimed
  while (!isDone.aborted) {
    await connection.sleep(heartbeatMs, isDone).catch(() => undefined)
    if (isDone.aborted) return
    try {
      const { answer } = await call(heartbeatWork, { params: { claim }, signal: isDone })
      if (answer === 'cancel') stopped.abort(new DOMException('nobody waits for this step any more', 'AbortError'))
    } catch (thrown) {
      if (isDone.aborted) return
      if (isLost(thrown)) stopped.abort(thrown)
      tell(thrown)
    }
  }
}

/** The same report may be sent again; it counts once. Until the server has it, the work is not done. */
async function send({ connection, call, tell }: Parts, { claim }: Claimed, body: Report): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    try {
      await call(reportWork, { params: { claim }, body })
      return
    } catch (thrown) {
      if (thrown instanceof ServerError && thrown.status < 500 && thrown.status !== 429) throw thrown
      tell(thrown)
      await pause(connection, failures)
    }
  }
}

function isLost(thrown: unknown): boolean {
  return thrown instanceof ServerError && thrown.code === 'CLAIM_NOT_HELD'
}
