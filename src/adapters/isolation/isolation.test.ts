/** Isolated functions: real threads and real processes, under a clock that the test moves. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getEventListeners, once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IsolatedHost, StartHost } from '../../ports/isolation.ts'
import type { ActionCall, StepContext, StepHandlers } from '../../ports/step-handlers.ts'
import type { Timers } from '../../ports/timers.ts'
import { processHost } from '../processes/isolated-function.ts'
import { isolatedHandlers } from './isolated-handlers.ts'
import { threadHost } from './thread-host.ts'

const MODULE = `
import { EventEmitter } from 'node:events'
export const double = ({ n }, { stepId, attempt }) => ({ n: n * 2, stepId, attempt })
export const polite = async (input, { signal, addArtifact }) => {
  const stopped = new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason.name)))
  addArtifact({ uri: 'file:begun', kind: 'log' })
  return { stopped: await stopped }
}
export const stubborn = async (input, { addArtifact }) => {
  await addArtifact({ uri: 'file:begun', kind: 'log', pid: process.pid })
  for (;;);
}
export const open = () => { setInterval(() => {}, 1000); return 'done' }
export const failing = () => { throw Object.assign(new Error('busy'), { name: 'ServiceUnavailable', code: 'E_BUSY', statusCode: 503, cause: Object.assign(new Error('socket'), { code: 'ECONNREFUSED' }) }) }
export const secretly = (input, { secrets, execution }) => ({ token: secrets.token, shown: JSON.stringify(secrets), ...execution })
export const archiving = (input, context) => context.artifacts.put('x')
export const dying = () => process.exit(3)
const gone = () => Object.assign(new Error('gone'), { code: 'ECONNRESET' })
const forever = () => new Promise(() => {})
export const floating = () => { void (async () => { throw gone() })(); return forever() }
export const later = () => { setTimeout(() => { throw gone() }, 1); return forever() }
export const emitting = () => { setTimeout(() => new EventEmitter().emit('error', gone()), 1); return forever() }
export const micro = () => { queueMicrotask(() => { throw gone() }); return forever() }
export const many = () => { throw new AggregateError([new Error('one'), Object.assign(new Error('two'), { code: 'EHOSTUNREACH' })]) }
export const unsendable = () => () => 1
export default { nested: { name: ({ n }) => n + 1 } }
`

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-isolation-'))
  writeFileSync(join(folder, 'steps.mjs'), MODULE)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

class Clock implements Timers {
  #now = 0
  readonly alarms = new Set<{ readonly at: number; readonly callback: () => void }>()

  after(ms: number, callback: () => void): () => void {
    const alarm = { at: this.#now + ms, callback }
    this.alarms.add(alarm)
    return () => this.alarms.delete(alarm)
  }

  defer(callback: () => void): void {
    setImmediate(callback)
  }

  moveTo(instant: number): void {
    this.#now = instant
    for (const alarm of this.alarms)
      if (alarm.at <= instant) {
        this.alarms.delete(alarm)
        alarm.callback()
      }
  }
}

const NOTHING: StepHandlers = { missing: () => [], call: async () => 'inline' }

/** Like a step's context: expensive fields are made on first use, and may refuse. */
class OnDemand {
  get secrets(): object {
    return Object.defineProperty({}, 'token', { value: 's3cret', enumerable: false })
  }

  get execution(): object {
    return { id: 'run' }
  }

  get artifacts(): object {
    throw new Error('no artifacts here')
  }
}

class Bench {
  readonly timers = new Clock()
  readonly cancel = new AbortController()
  readonly artifacts: Readonly<Record<string, unknown>>[] = []
  started = 0
  killed = 0
  readonly #begun: Promise<unknown>
  readonly #handlers: StepHandlers
  readonly #isolation: 'thread' | 'process'
  readonly #bell = new EventTarget()

  constructor(isolation: 'thread' | 'process', module = true) {
    this.#isolation = isolation
    this.#begun = once(this.#bell, 'begun')
    const counted =
      (start: StartHost): StartHost =>
      (entry, events): IsolatedHost => {
        this.started += 1
        const host = start(entry, events)
        return {
          send: (message) => host.send(message),
          kill: () => {
            this.killed += 1
            host.kill()
          },
        }
      }
    this.#handlers = isolatedHandlers(NOTHING, {
      ...(module ? { module: join(folder, 'steps.mjs') } : {}),
      hosts: { thread: counted(threadHost), process: counted(processHost) },
      timers: this.timers,
    })
  }

  call(run: string, input: unknown = {}): Promise<unknown> {
    const context = Object.assign(new OnDemand(), {
      signal: this.cancel.signal,
      idempotencyKey: 'key',
      runId: 'run',
      stepId: 'step',
      attempt: 2,
      engineAttempt: 1,
      planId: 'plan',
      planVersion: '1.0.0',
      addArtifact: (artifact: Readonly<Record<string, unknown>>) => {
        this.artifacts.push(artifact)
        this.#bell.dispatchEvent(new Event('begun'))
      },
      heartbeat: () => undefined,
    }) as unknown as StepContext
    return this.#handlers.call({
      action: { run },
      kind: 'run',
      input,
      context,
      isolation: this.#isolation,
    } as ActionCall)
  }

  async begun(): Promise<Readonly<Record<string, unknown>> | undefined> {
    await this.#begun
    return this.artifacts[0]
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

for (const isolation of ['thread', 'process'] as const)
  describe(`a function in a ${isolation} of its own`, () => {
    it('is given its input, context and a signal, and answers as it would here [CAN-02]', async () => {
      const bench = new Bench(isolation)
      expect(await bench.call('double', { n: 21 })).toEqual({ n: 42, stepId: 'step', attempt: 2 })
      expect(await bench.call('nested.name', { n: 1 })).toBe(2)
      expect(await bench.call('secretly')).toEqual({ token: 's3cret', shown: '{}', id: 'run' })
      expect(bench.killed).toBe(0)
    })

    it('is told to stop and may end by itself within the grace [CAN-01]', async () => {
      const bench = new Bench(isolation)
      const call = bench.call('polite')
      await bench.begun()
      bench.cancel.abort(new DOMException('cancelled', 'AbortError'))
      expect(await call).toEqual({ stopped: 'AbortError' })
      expect([bench.killed, bench.timers.alarms.size]).toEqual([0, 0])
    })

    it('that ignores it is alive at 4,999 ms and killed at 5,000 ms, with nothing left behind [CAN-01, CAN-04]', async () => {
      const bench = new Bench(isolation)
      const call = bench.call('stubborn')
      const begun = await bench.begun()
      bench.cancel.abort(new DOMException('cancelled', 'AbortError'))
      bench.timers.moveTo(4_999)
      expect(bench.killed).toBe(0)
      if (isolation === 'process') expect(isAlive(Number(begun?.['pid']))).toBe(true)
      bench.timers.moveTo(5_000)
      expect(bench.killed).toBe(1)
      await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
      if (isolation === 'process') expect(isAlive(Number(begun?.['pid']))).toBe(false)
      expect(bench.timers.alarms.size).toBe(0)
      expect(getEventListeners(bench.cancel.signal, 'abort')).toEqual([])
    })

    it('is not even started when it is to stop already [CAN-05]', async () => {
      const bench = new Bench(isolation)
      bench.cancel.abort(new DOMException('cancelled', 'AbortError'))
      await expect(bench.call('double', { n: 1 })).rejects.toMatchObject({ name: 'AbortError' })
      expect(bench.started).toBe(0)
    })

    it('fails with what its error said, causes included, and with the reason when its host dies', async () => {
      const bench = new Bench(isolation)
      await expect(bench.call('failing')).rejects.toMatchObject({
        name: 'ServiceUnavailable',
        message: 'busy',
        code: 'E_BUSY',
        status: 503,
        cause: { code: 'ECONNREFUSED' },
      })
      await expect(bench.call('archiving')).rejects.toThrow('no artifacts here')
      await expect(bench.call('dying')).rejects.toMatchObject({
        code: 'PROCESS_DIED',
        message: expect.stringMatching(/'dying' ended without a result/) as string,
      })
      await expect(bench.call('nobody')).rejects.toThrow(/has no 'nobody'/)
      await expect(bench.call('unsendable')).rejects.toThrow(/could not be cloned/)
    })

    it.each(['floating', 'later', 'emitting', 'micro'])(
      'fails with the error of %s that nobody caught',
      async (name) => {
        await expect(new Bench(isolation).call(name)).rejects.toMatchObject({
          name: 'KeelsonError',
          code: 'STRAY_ERROR',
          message: expect.stringMatching(/an error that nobody caught: .*gone/) as string,
          cause: { code: 'ECONNRESET' },
        })
      },
    )

    it('keeps the members of an error of many, for its class [ERR-11, X-63]', async () => {
      await expect(new Bench(isolation).call('many')).rejects.toMatchObject({
        errors: [{ message: 'one' }, { code: 'EHOSTUNREACH' }],
      })
    })

    it('has its result, though the end of its host is noticed together with it', async () => {
      for (let times = 0; times < 6; times += 1) {
        const result = new Bench(isolation).call('double', { n: 2 })
        // This thread sees nothing until the function has long ended.
        await new Promise((resolve) => setImmediate(resolve))
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
        expect(await result).toMatchObject({ n: 4 })
      }
    })

    it('does not stay because of what it left open', async () => {
      expect(await new Bench(isolation).call('open')).toBe('done')
    })
  })

it('without the file of the functions isolation is missing, and inline steps are not', () => {
  const handlers = isolatedHandlers(NOTHING, {
    hosts: { thread: threadHost, process: processHost },
    timers: new Clock(),
  })
  expect(handlers.isolates).toBe(false)
  expect(handlers.missing({ run: 'f', isolation: 'thread' } as never)).toEqual(["thread isolation of 'f'"])
  expect(handlers.missing({ run: 'f', isolation: 'inline' } as never)).toEqual([])
})
