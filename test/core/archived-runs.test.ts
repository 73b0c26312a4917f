/** Runs whose log was archived or erased: every call says so, and where the bundle is; a repeated request finds the old answer. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { memoryPlanter, postgresPlanter, sqlitePlanter, type Planter } from '../chaos/poison-planters.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import { operationsOf } from '../fixtures/operations-of.ts'

const PLAN = loadPlan('plan: kept\nversion: 1.0.0\noutput: "${steps.a.output}"\nsteps: [{ id: a, run: f }]')
const FAILING = loadPlan(
  'plan: lost\nversion: 1.0.0\npolicy: { retry: { maxAttempts: 1 } }\nsteps: [{ id: a, run: no }]',
)
const ADA = { userId: 'ada', tenantId: 'local', roles: ['Admin'] }

describe.each([
  ['memory', memoryPlanter],
  ['SQLite', sqlitePlanter],
  ['PostgreSQL', postgresPlanter],
] as const)('an archived run, in %s', (_name, makePlanter) => {
  let planter: Planter
  let folder = ''
  let keelson: Keelson
  beforeAll(async () => {
    planter = await makePlanter()
    folder = mkdtempSync(join(tmpdir(), 'keelson-archived-'))
    keelson = await openKeelson({
      store: await planter.open(),
      directory: folder,
      keysDirectory: join(folder, 'keys'),
      pollMs: 20,
      steps: {
        f: () => 'made',
        no: () => {
          throw new Error('no')
        },
      },
    })
  })
  afterAll(async () => {
    await keelson.close()
    await planter.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function archived(plan: typeof PLAN, requestId: string, to?: string): Promise<RunHandle> {
    const run = await keelson.start(plan, {}, { requestId, runId: `${requestId}-run` })
    await run.result()
    await keelson.maintenance.archive(run.row, to, { force: true })
    return run
  }

  it('answers every call with RUN_ARCHIVED, how it ended and where its bundle is [STO-15]', async () => {
    const elsewhere = join(folder, 'shelf')
    const run = await archived(PLAN, 'named', elsewhere)
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      run: () => keelson.run(run.runId),
      result: () => run.result(),
      output: () => run.output(),
      records: () => run.records(),
      events: async () => {
        for await (const { runSeq } of run.events()) throw new Error(`an archived run has no event ${runSeq}`)
      },
      snapshot: () => run.snapshot(),
      why: () => run.why('a'),
      cancel: () => run.cancel(),
      pause: () => run.pause(),
      signal: () => run.signal('RETRY_RUN'),
      tasks: () => run.tasks(),
      context: () => run.context(),
      fork: () => keelson.fork(run.runId),
      adopt: () => keelson.adopt(run.runId),
      erase: () => keelson.maintenance.erase(run.row, { reason: 'asked for' }),
      export: () => keelson.maintenance.export(run.row, folder, 'again.jsonl'),
      asked: () =>
        operationsOf(keelson).signal(
          run.runId,
          { signalId: crypto.randomUUID(), signalType: 'PAUSE', payload: {} },
          ADA,
        ),
    }
    const row = await servicesOf(keelson).store.getRun(run.row.runKey)
    const bundle = row?.archivedTo ?? ''
    expect([isAbsolute(bundle), existsSync(bundle), bundle.startsWith(elsewhere)]).toEqual([true, true, true])
    for (const [name, call] of Object.entries(calls)) {
      const details = { status: 'COMPLETED', bundle, runId: run.runId }
      await expect(call(), name).rejects.toMatchObject({
        problems: [{ code: 'RUN_ARCHIVED', message: expect.stringContaining(bundle) as unknown, details }],
      })
    }
    const status = await operationsOf(keelson).getRunStatus(run.runId, ADA)
    expect(status).toMatchObject({ runId: run.runId, status: 'COMPLETED' })
    await operationsOf(keelson).cancelRun(run.runId, ADA)
  })

  it('is found by its request id and its run id, and never starts again', async () => {
    const run = await archived(FAILING, 'asked')
    for (const options of [{ requestId: 'asked' }, { runId: run.runId }]) {
      const again = await keelson.start(FAILING, {}, options)
      expect([again.runId, again.existed, again.row.status]).toEqual([run.runId, true, 'FAILED'])
      await expect(again.output()).rejects.toMatchObject({ code: 'RUN_ARCHIVED' })
    }
    await expect(keelson.start(PLAN, {}, { runId: run.runId })).rejects.toMatchObject({ code: 'RUN_ALREADY_EXISTS' })
  })

  it('that was erased instead cannot be forked, and says so [P-34]', async () => {
    const run = await keelson.start(FAILING, { who: 'ana' })
    await run.result()
    await keelson.maintenance.erase(run.row, { reason: 'asked for' })
    for (const options of [{}, { from: 'a' }, { atSeq: 3 }])
      await expect(keelson.fork(run.runId, options)).rejects.toMatchObject({ code: 'RUN_ERASED' })
    expect((await keelson.list({ originalRunId: run.runId })).runs).toEqual([])
  })
})
