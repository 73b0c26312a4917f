/** What a step is told of its run, and what the run has come to in the end. */
import { beforeEach, describe, expect, it } from 'vitest'
import { localArtifacts } from '../../src/adapters/artifacts/local.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { readRunContext } from '../../src/app/views/read-run-context.ts'
import type { RunContext } from '../../src/ports/run-context.ts'
import type { StepContext } from '../../src/ports/step-handlers.ts'
import { isoFromMs } from '../../src/core/time.ts'
import { START } from '../fixtures/scenario.ts'
import { World, type Process, type Script } from '../fixtures/virtual-world.ts'
import { testFolder } from '../fixtures/folder.ts'

async function finalContext(process: Process, run: number): Promise<RunContext> {
  const loaded = await process.advancer.current(run)
  return readRunContext(process.store, loaded, loaded.state, loaded.state.seq)
}

async function ended(plan: string, script: Script = {}, correlationId?: string) {
  const world = new World()
  const process = world.process('p', { script })
  const run = await process.start(plan, correlationId === undefined ? {} : { correlationId })
  await world.runUntil(() => world.hasEnded(run))
  return { world, process, run, context: await finalContext(process, run) }
}

describe('metadata', () => {
  it('tells the run, its plan, its start and its correlation id, and nothing of it can be changed [CTX-01]', async () => {
    const { world, run, context } = await ended('steps: [{ id: a, run: f }]', {}, 'request-17')
    const given = world.calls[0]?.context as StepContext
    expect(given.execution).toEqual({
      id: world.row(run).runId,
      workflowId: 'story',
      startedAt: isoFromMs(START),
      correlationId: 'request-17',
    })
    for (const holder of [
      given,
      given.execution,
      given.secrets,
      given.resources,
      context,
      context.execution,
      context.variables,
    ])
      for (const name of ['id', 'runId', 'startedAt', 'execution', 'anything'])
        expect(() => Object.assign(holder, { [name]: 'changed' })).toThrow(TypeError)
    expect(context.execution).toEqual(given.execution)
  })

  it('has the key of its attempt as its own, and so have a copy of it and what is made over it', async () => {
    const { world } = await ended('steps: [{ id: a, run: f }, { id: b, run: f }]')
    const [first, second] = world.calls.map(({ context }) => context)
    if (first === undefined || second === undefined) throw new Error('two steps were called')
    expect(first.idempotencyKey).toMatch(/^[0-9a-f]{64}$/)
    expect(second.idempotencyKey).not.toBe(first.idempotencyKey)
    const over: StepContext = new Proxy(first, {})
    for (const one of [first, { ...first }, over, Object.create(first) as StepContext])
      expect(one.idempotencyKey).toBe(first.idempotencyKey)
    expect(Object.keys(first)).toEqual([
      'signal',
      'runId',
      'stepId',
      'attempt',
      'engineAttempt',
      'planId',
      'planVersion',
      'idempotencyKey',
    ])
  })

  it('has the parts that a step may need [CTX-02]', async () => {
    const { world } = await ended(
      `context: { v: 1 }
steps:
  - { id: a, run: f, capture: [{ destination: seen }] }
  - { id: b, run: g }`,
      { f: () => 'first', g: async ({ context }) => JSON.stringify([...(await context.context()).steps.keys()]) },
    )
    const second = world.calls[1]?.context as StepContext
    const { execution, variables, steps } = await second.context()
    expect(execution).toEqual(second.execution)
    expect(variables).toEqual({ v: 1, seen: 'first' })
    expect(steps).toBeInstanceOf(Map)
    expect(steps.get('a')).toMatchObject({ stepId: 'a', status: 'success', output: 'first' })
    expect(second.secrets).toBeDefined()
    expect(second.signal).toBeInstanceOf(AbortSignal)
    expect(second.resources).toEqual({})
  })

  it('tells the units that the attempt holds [CTX-02]', async () => {
    const world = new World()
    const process = world.process('p')
    await process.store.putPool({ pool: 'resource:gpu', capacity: 4 })
    const run = await process.start('steps: [{ id: a, run: f, agent: painter, resources: { gpu: 2 } }]')
    await world.runUntil(() => world.hasEnded(run))
    expect(world.calls[0]?.context.resources).toEqual({ 'agent:painter': 1, 'resource:gpu': 2 })
  })

  it('shows a repeated attempt the same as the first, whatever happened since [P-17]', async () => {
    const seen: string[] = []
    await ended(
      `steps:
  - { id: slow, dependsOn: [], run: slow, retry: { maxAttempts: 2, initialBackoffMs: 5000 } }
  - { id: quick, dependsOn: [], run: quick, capture: [{ destination: late }] }`,
      {
        quick: async (_call, { after }) => {
          await after(100)
          return 'done'
        },
        slow: async ({ context }) => {
          const { steps, variables } = await context.context()
          seen.push(JSON.stringify([[...steps.keys()], variables]))
          if (context.attempt === 1) throw new Error('again')
          return 1
        },
      },
    )
    expect(seen).toEqual(['[[],{}]', '[[],{}]'])
  })
})

describe('results', () => {
  it('are success, failure, skipped or cancelled, with times, attempts and duration [CTX-03, CTX-06]', async () => {
    const { context } = await ended(
      `policy: { onFailure: continue, retry: { maxAttempts: 2, initialBackoffMs: 1000, backoffMultiplier: 1 } }
steps:
  - { id: good, dependsOn: [], run: good }
  - { id: bad, dependsOn: [], run: bad }
  - { id: not, dependsOn: [], run: good, if: input.never }`,
      {
        good: async (_call, { after }) => {
          await after(250)
          return { n: 1 }
        },
        bad: () => {
          throw Object.assign(new Error('it broke'), { code: 'BROKEN' })
        },
      },
    )
    const at = (ms: number): string => isoFromMs(START + ms)
    expect([...context.steps.values()]).toEqual([
      {
        stepId: 'good',
        status: 'success',
        output: { n: 1 },
        startedAt: at(0),
        completedAt: at(250),
        attempts: 1,
        duration: 250,
      },
      {
        stepId: 'bad',
        status: 'failure',
        error: expect.objectContaining({ code: 'BROKEN', message: 'it broke', retryable: true }) as unknown,
        startedAt: at(0),
        completedAt: at(1000),
        attempts: 2,
        duration: 1000,
      },
      { stepId: 'not', status: 'skipped', startedAt: at(0), completedAt: at(0), attempts: 0, duration: 0 },
    ])
  })

  it('of a cancelled run tell which step was in flight, and leave out what never began [CTX-03]', async () => {
    const world = new World()
    const process = world.process('p', {
      script: {
        f: ({ context }) =>
          new Promise((_resolve, reject) =>
            context.signal.addEventListener('abort', () => reject(new Error('stopped'))),
          ),
      },
    })
    const run = await process.start('steps: [{ id: a, run: f }, { id: b, run: g }]')
    await process.signal(run, 'CANCEL', { reason: 'no longer wanted' })
    await world.runUntil(() => world.hasEnded(run))
    const { steps } = await finalContext(process, run)
    expect([...steps.values()].map(({ stepId, status }) => `${stepId} ${status}`)).toEqual(['a cancelled'])
  })
})

describe('the correlation id', () => {
  it('is the run itself by default, goes to child runs, and is read back by who adopts the run', async () => {
    const world = new World()
    const process = world.process('p', { script: { f: 'hold' } })
    await process.publish('plan: child\nversion: 1.0.0\nsteps: [{ id: c, run: f }]')
    const run = await process.start('steps: [{ id: a, plan: { planId: child } }]', { correlationId: 'order-9' })
    await world.runUntil(() => world.calls.length === 1)
    expect(world.calls[0]?.context.execution).toMatchObject({ workflowId: 'child', correlationId: 'order-9' })
    expect(world.records(run)[1]?.payload).toMatchObject({ context: { correlationId: 'order-9' } })
    process.kill()
    const next = world.process('q', { script: { f: () => 1 }, adoptOthers: true })
    await world.runUntil(() => world.hasEnded(run))
    expect(world.calls.at(-1)?.context.execution.correlationId).toBe('order-9')
    expect((await finalContext(next, run)).execution.correlationId).toBe('order-9')
    const plain = await next.start('steps: [{ id: a, run: f }]')
    await world.runUntil(() => world.hasEnded(plain))
    expect(world.calls.at(-1)?.context.execution.correlationId).toBe(world.row(plain).runId)
  })
})

describe('artifacts', () => {
  let folder = ''
  beforeEach(() => {
    folder = testFolder()
  })

  it('that a step keeps are pointers in its result, and the next step reads their bytes [SEC-05]', async () => {
    const world = new World()
    const artifacts = localArtifacts(folder, systemRandom)
    const script: Script = {
      make: ({ context }) => context.artifacts.put('a report', { kind: 'log-bundle', name: 'report.txt' }),
      read: async ({ context, input }) =>
        new TextDecoder().decode(await context.artifacts.get((input as { ref: { uri: string } }).ref)),
    }
    const process = world.process('p', { script, services: { artifacts } })
    const run = await process.start(`steps:
  - { id: a, run: make }
  - { id: b, run: read, with: { ref: '\${steps.a.output}' } }`)
    // Files answer when they answer: the clock stands still meanwhile.
    await expect.poll(() => world.hasEnded(run)).toBe(true)
    const [made, read] = world.records(run).filter((record) => record.eventType === 'StepCompleted')
    expect(made?.payload).toMatchObject({
      artifactRefs: [
        {
          uri: expect.stringMatching(/^artifact:sha256:[0-9a-f]{64}\?name=report\.txt$/) as unknown,
          kind: 'log-bundle',
          sizeBytes: 8,
        },
      ],
    })
    expect(read?.data).toEqual({ result: 'a report' })
  })

  it('of an attempt that failed stay with its failure, beside its code, class and time; the run names the same cause [EVT-20]', async () => {
    const { world, run } = await ended('steps: [{ id: a, run: f, retry: { maxAttempts: 1 } }]', {
      f: ({ context }) => {
        context.addArtifact({ uri: 's3://logs/a', kind: 'log-bundle' })
        throw Object.assign(new Error('half way'), { code: 'TOO_SLOW', status: 503 })
      },
    })
    const of = (type: string) => world.records(run).find((record) => record.eventType === type)
    const words = { category: 'infrastructure', failureCategory: 'SYSTEM', errorClass: '5xx', statusCode: 503 }
    expect(of('StepFailed')?.payload).toEqual({
      error: { code: 'TOO_SLOW', retryable: true, ...words },
      failedAt: '2030-01-01T00:00:00.000Z',
      durationMs: 0,
      final: true,
      artifactRefs: [{ uri: 's3://logs/a', kind: 'log-bundle' }],
    })
    expect(of('StepFailed')?.data?.['errorText']).toMatchObject({ message: 'half way' })
    expect(of('RunFailed')?.payload).toEqual({
      error: { code: 'TOO_SLOW', retryable: false, errorClass: '5xx' },
      failedAt: '2030-01-01T00:00:00.000Z',
      rootCause: { slot: 'a', attempt: 1, runSeq: 4 },
    })
  })
})
