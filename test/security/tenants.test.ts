/** Two tenants that call everything by the same names, at once, on every store: neither sees, stops or drains the other. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { loadPlan, openKeelson, type Keelson } from '../../src/main.ts'
import type { ActorContext } from '../../src/ports/provider-adapter.ts'
import type { RunRow } from '../../src/ports/run-store.ts'
import { until } from '../fixtures/until.ts'
import { emptyStore, startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { testFolder } from '../fixtures/folder.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import { operationsOf } from '../fixtures/operations-of.ts'

const [ACME, GLOBEX] = ['acme', 'globex'] as const
const STORES = ['memory', 'sqlite', 'postgres'] as const

let server: PostgresServer
let url = ''
beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase('tenants')
})
afterAll(() => server.stop())

describe.each(STORES)('on the %s store', (kind) => {
  let keelson: Keelson
  let folder = ''
  let gate = Promise.withResolvers<void>()
  const ran: string[] = []
  /** The first plan of each is 1.0.0, whatever the other one means by that. */
  let versions = { [ACME]: 0, [GLOBEX]: 0 }

  beforeEach(async () => {
    folder = testFolder()
    gate = Promise.withResolvers<void>()
    ran.length = 0
    versions = { [ACME]: 0, [GLOBEX]: 0 }
    const steps = {
      shaky: () => Promise.reject(new Error('the crane is stuck')),
      hold: () => gate.promise,
      ok: (input: unknown) => void ran.push(JSON.stringify(input)),
    }
    const store = kind === 'postgres' ? { store: await openPostgresStore({ connectionString: url }) } : {}
    keelson = await openKeelson({ directory: kind === 'memory' ? ':memory:' : folder, pollMs: 20, steps, ...store })
  })
  afterEach(async () => {
    gate.resolve()
    await keelson.close()
    if (kind === 'postgres') await emptyStore(url)
  })

  const start = async (tenantId: 'acme' | 'globex', steps: string, policy = ''): Promise<string> => {
    const actor: ActorContext = { userId: 'ada', roles: ['Admin'], tenantId }
    const plan = loadPlan(`plan: same\nversion: 1.0.${versions[tenantId]++}\n${policy}\nsteps:\n${steps}`)
    const runId = servicesOf(keelson).random.uuid()
    const context = { tenantId, projectId: 'default', environmentId: 'local', runId }
    await operationsOf(keelson).startRun(plan, context, actor)
    return runId
  }
  const row = async (tenantId: string, runId: string): Promise<RunRow> => {
    const found = await servicesOf(keelson).store.findRun({ tenantId, runId })
    if (found === undefined) throw new Error('there is no such run')
    return found
  }
  const ended = (tenantId: string, runId: string): Promise<unknown> =>
    until(async () => ['COMPLETED', 'FAILED'].includes((await row(tenantId, runId)).status))
  const ALL = 'policy: { onFailure: continue, concurrency: 10, retry: { maxAttempts: 1 } }'
  const five = (run: string): string =>
    Array.from({ length: 5 }, (_, index) => `  - { id: s${index}, run: ${run}, agent: crane, dependsOn: [] }`).join(
      '\n',
    )

  it.each([false, true])(
    'failures of one tenant open no breaker of another (declared for all: %s)',
    async (declared) => {
      if (declared) await servicesOf(keelson).store.putPool({ pool: 'agent:crane', capacity: 10 })
      const broken = await start(ACME, five('shaky'), ALL)
      await ended(ACME, broken)
      const mine = await start(ACME, '  - { id: a, run: ok, agent: crane, with: { of: acme } }')
      const theirs = await start(GLOBEX, '  - { id: a, run: ok, agent: crane, with: { of: globex } }')
      await ended(GLOBEX, theirs)
      expect((await row(GLOBEX, theirs)).status).toBe('COMPLETED')
      await until(
        async () => (await servicesOf(keelson).store.readGrants((await row(ACME, mine)).runKey)).waits.length === 1,
      )
      expect(ran).toEqual(['{"of":"globex"}'])
      const open = (await servicesOf(keelson).store.listPools()).filter(({ openUntil }) => openUntil !== undefined)
      expect(open.map(({ pool }) => pool)).toEqual([declared ? 'breaker:crane@acme' : 'agent:crane@acme'])
    },
  )

  it('an agent that nobody declared is each tenant’s own: one that holds all of it drains only itself', async () => {
    const full = await start(ACME, five('hold'), ALL)
    await until(
      async () => (await servicesOf(keelson).store.readGrants((await row(ACME, full)).runKey)).held.length === 3,
    )
    const theirs = await start(GLOBEX, '  - { id: a, run: ok, agent: crane }')
    await ended(GLOBEX, theirs)
    expect((await row(GLOBEX, theirs)).status).toBe('COMPLETED')
    expect((await servicesOf(keelson).store.listPools()).map(({ pool, used }) => [pool, used])).toEqual([
      ['agent:crane@acme', 3],
      ['agent:crane@globex', 0],
    ])
  })

  it('the deployment’s own limit holds over both, as it says', async () => {
    await servicesOf(keelson).store.putPool({ pool: 'agent:crane', capacity: 1 })
    const first = await start(ACME, '  - { id: a, run: hold, agent: crane }')
    await until(
      async () => (await servicesOf(keelson).store.readGrants((await row(ACME, first)).runKey)).held.length === 1,
    )
    const second = await start(GLOBEX, '  - { id: a, run: ok, agent: crane }')
    await until(
      async () => (await servicesOf(keelson).store.readGrants((await row(GLOBEX, second)).runKey)).waits.length === 1,
    )
    gate.resolve()
    await ended(GLOBEX, second)
    expect((await row(GLOBEX, second)).status).toBe('COMPLETED')
  })

  it('a plan, a pause and a step of one name are each tenant’s own', async () => {
    await servicesOf(keelson).store.putScopePause({ tenantId: ACME, pauseId: 'p', scope: 'tenant', active: true })
    const mine = await start(ACME, '  - { id: a, run: ok, with: { of: acme } }')
    const theirs = await start(GLOBEX, '  - { id: a, run: ok, with: { of: globex } }')
    await ended(GLOBEX, theirs)
    expect((await row(ACME, mine)).status).toBe('PAUSED')
    expect(ran).toEqual(['{"of":"globex"}'])
    expect(await servicesOf(keelson).store.readScopePauses(GLOBEX)).toEqual([])
  })

  it('a run id of another tenant is free: each starts a run of its own under it, and neither is told of the other', async () => {
    const theirs = await start(GLOBEX, '  - { id: a, run: ok, with: { of: globex } }')
    await ended(GLOBEX, theirs)
    const actor: ActorContext = { userId: 'eve', roles: ['Admin'], tenantId: ACME }
    const place = { tenantId: ACME, projectId: 'default', environmentId: 'local', runId: theirs }
    const plan = loadPlan('plan: same\nversion: 1.0.9\nsteps: [{ id: a, run: ok, with: { of: acme } }]')
    expect(await servicesOf(keelson).store.findRun({ tenantId: ACME, runId: theirs })).toBeUndefined()
    await operationsOf(keelson).startRun(plan, place, actor)
    await ended(ACME, theirs)
    expect(ran).toEqual(['{"of":"globex"}', '{"of":"acme"}'])
    expect((await row(ACME, theirs)).runKey).not.toBe((await row(GLOBEX, theirs)).runKey)
    await expect(operationsOf(keelson).startRun(plan, place, actor)).rejects.toMatchObject({
      code: 'RUN_ALREADY_EXISTS',
    })
  })
})
