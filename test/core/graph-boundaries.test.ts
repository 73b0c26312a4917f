/** The boundaries of a step: what must hold before its handler is called, and what before it counts as done. */
import { describe, expect, it } from 'vitest'
import { recordOf } from '../../src/app/log/read-events.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { World, type Script } from '../fixtures/virtual-world.ts'

const SCHEMA = '{ type: object, required: [n], properties: { n: { type: integer } } }'

/** Everything that happens to the steps of a run, in one list: calls, and what each commit made durable. */
function spied(script: Script): {
  world: World
  seen: string[]
  start: (plan: string, input?: unknown) => Promise<number>
} {
  const world = new World()
  const seen: string[] = []
  const noted = Object.fromEntries(
    Object.entries(script).map(([name, behaviour]) => [
      name,
      typeof behaviour === 'string'
        ? behaviour
        : (call: Parameters<typeof behaviour>[0], tools: Parameters<typeof behaviour>[1]) => {
            seen.push(`call ${call.context.stepId}`)
            return behaviour(call, tools)
          },
    ]),
  )
  const wrapStore = (store: RunStore): RunStore =>
    new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown
        if (name !== 'commit') return typeof member === 'function' ? (member.bind(target) as unknown) : member
        return async (commits: Parameters<RunStore['commit']>[0]) => {
          const results = await target.commit(commits)
          for (const commit of commits) seen.push(...committed(commit))
          return results
        }
      },
    })
  const process = world.process('p', { script: noted, wrapStore })
  const start = async (plan: string, input: unknown = {}): Promise<number> => {
    const run = await process.start(plan, { input })
    await world.runUntil(() => world.hasEnded(run))
    return run
  }
  return { world, seen, start }
}

function committed(commit: Parameters<RunStore['commit']>[0][number]): string[] {
  const events = commit.events.flatMap((stored) => {
    const record = recordOf({ ...stored, persistedAt: 0 } as never)
    return record.ok && record.value.stepId !== undefined ? [`${record.value.eventType} ${record.value.stepId}`] : []
  })
  const context = 'context' in commit ? (commit.context ?? []).map(({ variable }) => `context ${variable}`) : []
  return [...events, ...context]
}

const boom = (): never => {
  throw Object.assign(new Error('no'), { name: 'ConflictError' })
}

describe('the flow of a step', () => {
  it('is condition, slot, input, call, output and context, and its slot goes to the next in the same commit [GRF-11]', async () => {
    const { world, seen, start } = spied({ f: () => ({ n: 1 }), g: () => null })
    const run = await start(
      `policy: { concurrency: 1 }
steps:
  - { id: a, run: f, dependsOn: [], if: 'input.go', with: { n: 1 }, inputSchema: ${SCHEMA}, outputSchema: ${SCHEMA}, capture: [{ destination: got }] }
  - { id: b, run: g, dependsOn: [] }`,
      { go: true },
    )
    expect(seen).toEqual([
      'StepStarted a',
      'call a',
      'StepCompleted a',
      'StepStarted b',
      'context got',
      'call b',
      'StepCompleted b',
    ])
    const started = world.records(run).find(({ eventType }) => eventType === 'StepStarted')
    expect(started?.data).toEqual({ facts: { condition: true } })
  })

  it('gives its slot back when the step fails, and while it waits for its retry [GRF-11]', async () => {
    const { seen, start } = spied({
      f: ({ context }) => (context.attempt === 1 ? Promise.reject(new Error('x')) : boom()),
      g: () => null,
    })
    await start(
      'policy: { concurrency: 1, onFailure: continue }\nsteps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: g, dependsOn: [] }, { id: c, run: g, dependsOn: [b] }]',
    )
    expect(seen).toEqual([
      'StepStarted a',
      'call a',
      'StepFailed a',
      'StepStarted b',
      'call b',
      'StepCompleted b',
      'StepStarted c',
      'call c',
      'StepCompleted c',
      'StepStarted a',
      'call a',
      'StepFailed a',
    ])
  })

  it('gives its slot back when the step times out [GRF-11]', async () => {
    const { seen, start } = spied({ f: () => new Promise(() => undefined), g: () => null })
    await start(
      'policy: { concurrency: 1, onFailure: continue }\nsteps: [{ id: a, run: f, dependsOn: [], timeoutMs: 20, retry: { maxAttempts: 1 } }, { id: b, run: g, dependsOn: [] }]',
    )
    expect(seen).toEqual(['StepStarted a', 'call a', 'StepFailed a', 'StepStarted b', 'call b', 'StepCompleted b'])
  })
})

describe('on entry', () => {
  it('a step whose input is not valid is not executed [GRF-10]', async () => {
    const { seen, start, world } = spied({ f: () => null })
    const run = await start(`steps: [{ id: a, run: f, with: { n: x }, inputSchema: ${SCHEMA} }]`)
    expect([seen, world.row(run).status]).toEqual([['StepStarted a', 'StepFailed a'], 'FAILED'])
  })

  it('a step whose dependencies are not met is not executed [GRF-10]', async () => {
    const { seen, start } = spied({ f: boom, g: () => null })
    await start(
      'policy: { onFailure: continue }\nsteps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: g, dependsOn: [a] }]',
    )
    expect(seen).toEqual(['StepStarted a', 'call a', 'StepFailed a', 'StepSkipped b'])
  })

  it('a step without a free slot is not executed until one is free [GRF-10]', async () => {
    const { seen, start } = spied({ f: (_call, { after }) => after(1000) })
    await start(
      'policy: { concurrency: 2 }\nsteps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [] }, { id: c, run: f, dependsOn: [] }]',
    )
    expect(seen.indexOf('call c')).toBeGreaterThan(seen.indexOf('StepCompleted a'))
  })
})

describe('on exit', () => {
  it.each([
    ['an output that is not valid', `outputSchema: ${SCHEMA}`],
    ['a context that cannot be changed', 'capture: [{ destination: fixed }], isolate: { readOnly: [fixed] }'],
  ])('%s is no success: nothing of the step is released [GRF-10]', async (_what, fields) => {
    const { seen, start, world } = spied({ f: () => 'text' })
    const run = await start(`context: { fixed: 1 }\nsteps: [{ id: a, run: f, ${fields} }]`)
    expect([seen, world.row(run).status]).toEqual([['StepStarted a', 'call a', 'StepFailed a'], 'FAILED'])
  })

  it('a step that has ended holds no slot, however it ended [GRF-10]', async () => {
    const { world, start } = spied({ f: () => null, g: boom })
    const run = await start(
      'policy: { onFailure: continue }\nsteps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: g, dependsOn: [] }]',
    )
    expect([world.row(run).stepsDone, world.row(run).stepsFailed, world.row(run).owed]).toEqual([1, 1, undefined])
  })
})
