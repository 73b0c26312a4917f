/** A server with a run that stays at its first step until it is let go, and words to send it signals. */
import { randomUUID } from 'node:crypto'
import type { LogRecord, OpenOptions } from '../../src/main.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { until } from '../fixtures/until.ts'
import { served, type Answered, type CallGiven, type Served, type ServedOptions } from './served.ts'

const HELD = `
plan: held
version: 1.0.0
steps:
  - { id: first, run: held }
  - { id: second, run: echo, dependsOn: [first] }
`

export interface Held extends Served {
  /** A run whose first step is at work. */
  readonly started: (as?: string) => Promise<string>
  readonly signal: (executionId: string, signal: SentSignal, as?: string) => Promise<Answered>
  /** The log of a run. */
  readonly log: (executionId: string) => Promise<readonly LogRecord[]>
  /** The events of signals in it. */
  readonly answers: (executionId: string) => Promise<readonly LogRecord[]>
  /** Cancels a run, and waits for its end. */
  readonly cancelled: (executionId: string) => Promise<void>
  /** Lets every held step end. */
  readonly release: () => void
}

export interface SentSignal {
  readonly signalId?: string
  readonly signalType: string
  readonly payload?: unknown
}

export async function heldServer(opening: OpenOptions = {}, options: ServedOptions = {}): Promise<Held> {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const aborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve(), { once: true }))
  const steps = {
    held: async (_input: unknown, { signal }: { readonly signal: AbortSignal }) => {
      await Promise.race([held, aborted(signal)])
      return 'done'
    },
    echo: (input: unknown) => input ?? null,
  }
  const server = await served({ ...opening, steps }, options)
  await server.publish(HELD)
  const own = onBehalf(server.keelson, {
    tenantId: 'acme',
    projectId: 'default',
    environmentId: 'local',
    actorId: 'test',
  })
  const log = async (executionId: string) => (await own.run(executionId)).records()
  return {
    ...server,
    log,
    answers: async (executionId) => (await log(executionId)).filter(({ eventType }) => eventType.startsWith('Signal')),
    release,
    cancelled: async (executionId) => {
      await server.call(`POST /v1/executions/${executionId}/cancel`, { body: {} })
      await until(async () => (await server.call(`GET /v1/executions/${executionId}`)).body.status === 'CANCELLED')
    },
    started: async (as) => {
      const given: CallGiven = { body: { planId: 'held' }, ...(as === undefined ? {} : { as }) }
      const { executionId } = (await server.call('POST /v1/executions', given)).body as { readonly executionId: string }
      await until(async () => (await log(executionId)).some(({ eventType }) => eventType === 'StepStarted'))
      return executionId
    },
    signal: (executionId, { signalId = randomUUID(), signalType, payload }, as) =>
      server.call(`POST /v1/executions/${executionId}/signals`, {
        body: { signalId, signalType, ...(payload === undefined ? {} : { payload }) },
        ...(as === undefined ? {} : { as }),
      }),
    [Symbol.asyncDispose]: async () => {
      release()
      await server[Symbol.asyncDispose]()
    },
  }
}
