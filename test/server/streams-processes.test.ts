/** Streams of runs that another process drives: two open Keelsons on one database, of which one serves and the other works. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { loadPlan } from '../../src/library/plans/load-plan.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { openKeelson, type OpenOptions } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { gate, MANY, numbers, stepsWith } from './long-runs.ts'
import { served } from './served.ts'
import { follow, told } from './sse.ts'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const ACME = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'worker' }

const PLACES: Readonly<Record<string, () => Promise<() => Promise<OpenOptions>>>> = {
  SQLite: async () => {
    const directory = testFolder()
    return async () => ({ directory, adopt: false })
  },
  PostgreSQL: async () => {
    const connectionString = await postgres.createDatabase('streams')
    const keysDirectory = testFolder()
    return async () => ({ store: await openPostgresStore({ connectionString }), keysDirectory, adopt: false })
  },
}

describe.each(Object.keys(PLACES))('on %s', (name) => {
  it('follows a run that another process drives, and tells that it moves', async () => {
    const place = await PLACES[name]?.()
    const held = gate()
    const worker = await openKeelson({ ...(await place?.()), steps: stepsWith(held) })
    await using server = await served({ ...(await place?.()), steps: stepsWith(gate()) })
    await using list = await follow(server.url, '/v1/stream')
    await list.until(({ event }) => event === 'hello')
    const plan = loadPlan(MANY)
    const run = await onBehalf(worker, ACME).start(plan, { before: numbers(20), after: numbers(20) })
    await using reader = await follow(server.url, `/v1/executions/${run.runId}/stream`)
    await reader.until(({ event, data }) => event === 'StepStarted' && data?.stepId === 'gate')
    held.open()
    const rest = told(await reader.until(() => false))
    const { lastEventSeq } = (await server.call(`GET /v1/executions/${run.runId}`)).body
    expect(rest.at(-1)).toMatchObject({ event: 'end', data: { status: 'COMPLETED', lastEventSeq } })
    expect(rest.findLast(({ event }) => event !== 'end')?.id).toBe(String(lastEventSeq))
    const moved = await list.until(
      ({ data }) => data?.executions?.some(({ status }) => status === 'COMPLETED') === true,
    )
    expect(moved.at(-1)?.data?.executions).toMatchObject([
      { executionId: run.runId, status: 'COMPLETED', lastEventSeq },
    ])
    await worker.close()
  })
})
