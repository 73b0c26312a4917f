/** A signal that is accepted does what it asks for: RETRY_RUN through a handle starts the new run, and says which it is. */
import { afterEach, describe, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const PLAN = loadPlan(
  'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f }, { id: b, run: flaky, retry: { maxAttempts: 1 } }]',
)
const open: Keelson[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

interface Failed {
  readonly keelson: Keelson
  readonly run: RunHandle
  readonly done: string[]
}

async function failed(): Promise<Failed> {
  const done: string[] = []
  let fails = 1
  const f = (): void => void done.push('a')
  const flaky = (): void => {
    if (fails-- > 0) throw new Error('not yet')
    done.push('b')
  }
  const keelson = await openKeelson({ directory: ':memory:', steps: { f, flaky } })
  open.push(keelson)
  const run = await keelson.start(PLAN, undefined, { actorId: 'ana' })
  expect((await run.result()).status).toBe('FAILED')
  return { keelson, run, done }
}

describe('RETRY_RUN through a handle', () => {
  it('starts a run from the results of the old one, once for the signal, and names it [SIG-07]', async () => {
    const { keelson, run, done } = await failed()
    const signalId = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
    const sent = await run.signal('RETRY_RUN', { reason: 'it is up again' }, { signalId, actorId: 'bo' })
    expect(sent).toEqual({ kind: 'sent', signalId, startedRunId: expect.any(String) as string })
    const again = await keelson.run(sent.startedRunId ?? '')
    expect(again.row).toMatchObject({ originalRunId: run.runId, triggeredBy: 'bo' })
    expect((await again.result()).status).toBe('COMPLETED')
    expect(done).toEqual(['a', 'b'])
    const repeat = await run.signal('RETRY_RUN', { reason: 'it is up again' }, { signalId, actorId: 'bo' })
    expect(repeat).toEqual({ kind: 'repeat', signalId, startedRunId: again.runId })
    expect((await keelson.fork(run.runId, { signalId, actorId: 'bo' })).runId).toBe(again.runId)
    expect((await keelson.list()).runs).toHaveLength(2)
  })

  it('does so without waiting, and from the step that it names', async () => {
    const { keelson, run, done } = await failed()
    const { startedRunId = '' } = await run.signal('RETRY_RUN', { from: 'a' }, { wait: false })
    expect((await (await keelson.run(startedRunId)).result()).status).toBe('COMPLETED')
    expect(done).toEqual(['a', 'a', 'b'])
  })

  it('is refused where there is nothing to retry, or nothing here to do it with, and starts nothing', async () => {
    const { keelson, run } = await failed()
    const bare = await openKeelson({
      directory: ':memory:',
      store: { ...servicesOf(keelson).store, close: async () => {} },
    })
    const there = await bare.run(run.runId)
    await expect(there.signal('RETRY_RUN')).rejects.toMatchObject({ code: 'NO_HANDLER' })
    const left = await there.signal('RETRY_RUN', {}, { startsRetry: false })
    expect(left).toEqual({ kind: 'sent', signalId: left.signalId })
    await bare.close()
    const again = await keelson.fork(run.runId, { signalId: left.signalId })
    expect((await again.result()).status).toBe('COMPLETED')
    await expect(again.signal('RETRY_RUN')).rejects.toMatchObject({ code: 'RUN_TERMINAL' })
    expect((await keelson.list()).runs).toHaveLength(2)
  })
})
