/** What the operations tell of runs on a Temporal server that does not answer. */
import { describe, expect, it } from 'vitest'
import { temporal } from '../../src/adapters/engines/temporal/engine.ts'
import { KeelsonError } from '../../src/main.ts'
import type { ActorContext } from '../../src/ports/provider-adapter.ts'
import { adapterWorld } from '../fixtures/adapter-world.ts'
import { operationsOf } from '../fixtures/operations-of.ts'
import { startTemporal } from '../setup/temporal.ts'

const ADA: ActorContext = { userId: 'ada', roles: ['Admin'], tenantId: 'local' }
const PLACE = { tenantId: 'local', projectId: 'default', environmentId: 'local' }

describe('a server that is away', () => {
  it('keeps nobody from a run’s status; it is asked a few times for more, then left in peace [ENG-10, ADP-06]', async () => {
    const own = await startTemporal()
    const settings = { address: own.address, connectTimeoutMs: 500, requestTimeoutMs: 500 }
    const world = await adapterWorld('temporal', { engine: temporal(settings) })
    const operations = operationsOf(world.keelson, { breaker: { failures: 2 } })
    const plan = await world.publish('{ plan: held, version: 1.0.0, steps: [{ id: a, run: held }] }')
    const { runId } = await operations.startRun(plan, { ...PLACE, runId: world.uuid() }, ADA)
    await world.stage.atWork(runId, 'a')
    await own.kill9()
    expect(await operations.getRunStatus(runId, ADA)).toMatchObject({ runId, status: 'RUNNING' })
    const seen = () => operations.getEnrichedStatus(runId, ADA)
    for (const status of [await seen(), await seen()]) {
      expect(status).toMatchObject({ status: 'RUNNING', provider: 'unavailable' })
      expect(status.problem).toMatchObject({ code: 'ADAPTER_PROVIDER_ERROR', retryable: true })
      expect(status.problem?.details).toMatchObject({ provider: 'temporal', operation: 'getEnrichedStatus', runId })
    }
    const rested = await seen()
    expect(rested).toMatchObject({ status: 'RUNNING', provider: 'unavailable' })
    expect(rested).not.toHaveProperty('problem')
    const failure = await world.keelson
      .onEngine('temporal')
      .ping?.()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(KeelsonError)
    expect((failure as KeelsonError).problems[0]?.details).toMatchObject({ provider: 'temporal', operation: 'ping' })
    world.stage.release(runId)
    await own.restart()
    await world.close()
    await own.stop()
  })

  it('starts nothing, and the error keeps provider, operation and run [ADP-06]', async () => {
    const world = await adapterWorld('temporal', {
      engine: temporal({ address: '127.0.0.1:1', connectTimeoutMs: 300, worker: false }),
    })
    const plan = await world.publish('{ plan: one, version: 1.0.0, steps: [{ id: a, run: echo }] }')
    const runId = world.uuid()
    const failure = await operationsOf(world.keelson)
      .startRun(plan, { ...PLACE, runId }, ADA)
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'TEMPORAL_CLIENT_NOT_CONNECTED',
      problems: [{ details: { provider: 'temporal', operation: 'startRun', runId, call: 'connect' } }],
    })
    expect(await world.records(runId)).toEqual([])
    await world.close()
  })
})
