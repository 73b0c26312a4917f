/** Child runs: a derived id, an end that reaches the parent in one commit, and a parent whose word reaches the child. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { childRunId } from '../../src/app/log/derived-uuid.ts'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import type { RunCommit, RunStore } from '../../src/ports/run-store.ts'
import { killedAfterTelling } from '../fixtures/killed-after-telling.ts'
import { CHILD, family, PARENT } from '../fixtures/parent-and-child.ts'
import { scenario } from '../fixtures/scenario.ts'
import { World, type ProcessOptions } from '../fixtures/virtual-world.ts'

describe('the id of a child run', () => {
  it('is the hash of run, slot and attempt with the bits of a version 4 UUID [P-29]', () => {
    const hex = createHash('sha256').update('child|2f1c7d3e-9a4b-4c55-8e21-0d6f3b7a9c10|pay[3]|2').digest('hex')
    const id = childRunId('2f1c7d3e-9a4b-4c55-8e21-0d6f3b7a9c10', 'pay[3]', 2)
    expect(id).toBe('0ec7c1ae-c2b2-4ac6-99df-6c8febc83742')
    expect(id.replaceAll('-', '').slice(0, 12)).toBe(hex.slice(0, 12))
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(childRunId('2f1c7d3e-9a4b-4c55-8e21-0d6f3b7a9c10', 'pay[3]', 3)).not.toBe(id)
  })

  it('makes starting it twice starting it once [P-29]', async () => {
    const { world, process, parent } = await family({ script: { inner: 'hold' } })
    expect(world.row(2)).toMatchObject({
      runId: childRunId(world.row(parent).runId, 'call', 1),
      parent: { runId: world.row(parent).runId, slot: 'call', attempt: 1 },
    })
    process.kill()
    world.process('second', { adoptOthers: true, script: { inner: () => 'made' } })
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.disk.runs).toHaveLength(2)
    expect(world.row(parent).status).toBe('COMPLETED')
    expect(world.log(2, 'RunStarted')).toHaveLength(1)
  })
})

describe('the end of a child run', () => {
  it("puts a row into its parent's inbox in the very commit that ends it [P-29]", async () => {
    const commits: RunCommit[] = []
    const watched = (store: RunStore): RunStore => ({
      ...store,
      commit: async (batch) => (commits.push(...batch), store.commit(batch)),
    })
    const { world, parent } = await family({ script: { inner: () => 'made' }, wrapStore: watched })
    await world.runUntil(() => world.hasEnded(parent))
    const ending = commits.filter(
      (commit) => commit.events.some((event) => event.eventType === 'RunCompleted') && commit.notify?.length === 1,
    )
    expect(ending.map((commit) => commit.runKey)).toEqual([2])
    expect(ending[0]?.notify?.[0]).toMatchObject({
      run: { runId: world.row(parent).runId },
      row: { inboxId: `child:${world.row(2).runId}`, kind: 'child' },
    })
    const completed = world
      .records(parent)
      .find((record) => record.stepId === 'call' && record.eventType === 'StepCompleted')
    expect(completed?.decision.cause).toBe(`child:${world.row(2).runId}`)
    expect(completed?.data).toMatchObject({ result: { made: 'made' } })
    expect(world.records(parent).at(-1)?.data).toEqual({ output: { got: 'made' } })
    expect(world.calls[0]?.input).toEqual({ n: 7 })
  })

  it('is not lost when every process dies right after it [P-29]', async () => {
    const cut = killedAfterTelling()
    const { world, process, parent } = await family({ script: { inner: 'hold' }, wrapStore: cut.wrapStore })
    cut.arm(process)
    await world.runUntil(() => world.called('inner').length === 1)
    world.calls[0]?.resolve('made')
    await world.runUntil(() => world.hasEnded(2))
    expect(world.hasEnded(parent)).toBe(false)
    world.process('second', { adoptOthers: true })
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.row(parent).status).toBe('COMPLETED')
    expect(world.called('inner')).toEqual(['inner#1/1'])
  })

  it('in failure fails the step; a retry is another child with another id [P-29]', async () => {
    let tries = 0
    const script = {
      inner: (): string => {
        tries += 1
        if (tries === 1) throw new Error('down')
        return 'made'
      },
    }
    const { world, parent } = await family({ script }, PARENT.replace('maxAttempts: 1', 'maxAttempts: 2'))
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.row(parent).status).toBe('COMPLETED')
    expect(world.disk.runs.map(({ row }) => row.status)).toEqual(['COMPLETED', 'FAILED', 'COMPLETED'])
    expect(world.row(3).runId).toBe(childRunId(world.row(parent).runId, 'call', 2))
    const failed = world.records(parent).find((record) => record.eventType === 'StepFailed')
    expect(failed?.payload).toMatchObject({ error: { code: 'CHILD_FAILED' }, final: false })
  })

  it.each([
    ['a validation error', { name: 'ValidationError' }, 1],
    ['a conflict', { name: 'ConflictError' }, 1],
    ['a refusal', { status: 403 }, 1],
    ['a connection that was refused', { code: 'ECONNREFUSED' }, 3],
    ['an error nobody knows', {}, 3],
  ])('for %s is tried again only if that may pass [P-29, RTY-04]', async (_name, fields, attempts) => {
    const script = { inner: () => Promise.reject(Object.assign(new Error('no'), fields)) }
    const plan = PARENT.replace('maxAttempts: 1', 'maxAttempts: 3, initialBackoffMs: 10')
    const { world, parent } = await family({ script }, plan)
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.called('inner')).toHaveLength(attempts)
    const failed = world.records(parent).filter((record) => record.eventType === 'StepFailed')
    expect(failed).toHaveLength(attempts)
    expect(failed.at(-1)?.payload).toMatchObject({
      error: { code: 'CHILD_FAILED', retryable: attempts > 1 },
      final: true,
    })
  })

  it('for an output that could not be made is not tried again [P-29]', async () => {
    const bad = CHILD.replace('made: "${steps.inner.output}"', 'made: "${abs(input)}"')
    const world = new World()
    const process = world.process('only')
    await process.publish(bad)
    const parent = await process.start(PARENT.replace('maxAttempts: 1', 'maxAttempts: 3'))
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.disk.runs).toHaveLength(2)
    expect(world.row(parent).errorCode).toBe('CHILD_FAILED')
  })

  it('tells how long the child took: from the start of the step to its end', async () => {
    const script: ProcessOptions['script'] = { inner: async (_call, { after }) => after(7_000) }
    const { world, parent } = await family({ script })
    await world.runUntil(() => world.hasEnded(parent))
    const completed = world.records(parent).find((one) => one.stepId === 'call' && one.eventType === 'StepCompleted')
    expect(completed?.payload?.['durationMs']).toBeGreaterThanOrEqual(7_000)
  })

  it('that nobody waits for any more is late, not an outcome [P-29, X-31]', () => {
    const run = scenario(`steps: [{ id: call, plan: { planId: child } }]`)
      .start()
      .signals('EMERGENCY_STOP', { reason: 'fire' })
    run.take({
      kind: 'child',
      slot: 'call',
      attempt: 1,
      childRunId: 'c',
      outcome: { kind: 'completed', payload: { artifactRefs: [] } },
    })
    expect(run.events().at(-1)).toBe('LateOutcomeRecorded LATE:call:1#1')
    expect(run.status).toBe('CANCELLED')
  })
})

describe('the word of the parent', () => {
  it('pauses and resumes its child with it, as often as it is said [P-29]', async () => {
    const { world, process, parent, child } = await family({ script: { inner: 'hold' } })
    for (const [signal, status] of [
      ['PAUSE', 'PAUSED'],
      ['RESUME', 'RUNNING'],
      ['PAUSE', 'PAUSED'],
      ['RESUME', 'RUNNING'],
    ] as const) {
      await process.signal(parent, signal)
      await world.advanceBy(1000)
      expect([world.row(parent).status, world.row(child()).status]).toEqual([status, status])
    }
    expect(world.records(child()).filter((record) => record.eventType === 'SignalAccepted')).toHaveLength(4)
  })

  it('cancels its child, and the parent is cancelled too [P-29]', async () => {
    const { world, process, parent, child } = await family({ script: { inner: 'hold' } })
    await process.signal(parent, 'CANCEL')
    await world.advanceBy(600)
    expect(world.row(child())).toMatchObject({ status: 'RUNNING', substatus: 'embedded/CANCELLING' })
    world.calls[0]?.reject(new Error('stopped'))
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.records(child()).at(-1)?.payload).toMatchObject({ cause: 'parent' })
    expect([world.row(parent).status, world.row(child()).status]).toEqual(['CANCELLED', 'CANCELLED'])
    expect(world.log(parent).slice(-2)).toEqual(['StepFailed call#1', 'RunCancelled RUN#1'])
  })

  it('reaches a child that was not there yet when it was said [P-29]', async () => {
    const world = new World()
    let open = false
    const slow = (store: RunStore): RunStore => ({
      ...store,
      commit: async (batch) =>
        open || batch.every(({ create }) => create?.parent === undefined)
          ? store.commit(batch)
          : Promise.reject(new KeelsonError([problem('STORE_UNAVAILABLE', 'busy')])),
    })
    const process = world.process('only', { script: { inner: 'hold' }, wrapStore: slow })
    await process.publish(CHILD)
    const parent = await process.start(PARENT)
    await process.signal(parent, 'PAUSE')
    await world.advanceBy(300)
    open = true
    await world.advanceBy(2000)
    expect([world.row(parent).status, world.row(2).status]).toEqual(['PAUSED', 'PAUSED'])
    await process.signal(parent, 'RESUME')
    await world.advanceBy(1000)
    expect(world.row(2).status).toBe('RUNNING')
  })

  it('a parent that fails fast asks its children to stop [P-29]', async () => {
    const plan = `
plan: parent
version: 1.0.0
policy: { retry: { maxAttempts: 1 } }
steps: [{ id: call, plan: { planId: child }, with: { n: 7 }, dependsOn: [] }, { id: bad, run: bad, dependsOn: [] }]`
    const { world, parent } = await family(
      {
        script: {
          inner: 'hold',
          bad: async (_call, { after }) => after(1000).then(() => Promise.reject(new Error('no'))),
        },
      },
      plan,
    )
    await world.runUntil(() => world.hasEnded(parent))
    expect([world.row(parent).status, world.row(2).status]).toEqual(['FAILED', 'CANCELLED'])
    expect(world.row(parent).errorCode).toBe('HANDLER_FAILED')
  })
})
