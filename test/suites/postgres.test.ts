/** The store suite on a real PostgreSQL server: one handle, and two on one database taking turns; then writers at once. */
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { openProjector } from '../../src/app/project/project-run.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { RunRow, RunStore } from '../../src/ports/run-store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { runStoreSuite, type StoreHarness } from '../../src/testing/store/run-store-suite.ts'
import { openSeal, openWrite, sealEvents } from '../../src/testing/store/sealed-events.ts'
import { allEvents, creation, nextCommit, rowOf, step } from '../../src/testing/store/store-case.ts'
import { emptyStore, startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { alternating } from './alternating-store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

function harness(name: string, open: (url: string, clock: Clock) => Promise<RunStore>): StoreHarness {
  let database: Promise<string> | undefined
  return {
    name,
    open: async ({ clock }) => {
      database ??= server.createDatabase(`suite_${name.replaceAll(' ', '_')}`)
      const url = await database
      let store = await open(url, clock)
      const reopen = async () => {
        await store.close()
        store = await open(url, clock)
        return store
      }
      const close = async () => {
        await store.close()
        await emptyStore(url)
      }
      return { store, reopen, close }
    },
  }
}

const single = (connectionString: string, clock: Clock) => openPostgresStore({ connectionString, clock })
const double = async (url: string, clock: Clock) => alternating([await single(url, clock), await single(url, clock)])

runStoreSuite({ describe, it }, harness('postgres', single))

describe('a real PostgreSQL server', () => {
  it('passes the whole suite unchanged through two handles on one database [STO-17]', async () => {
    const cases: { readonly title: string; readonly body: () => Promise<void> }[] = []
    const collect = {
      describe: (_: string, body: () => void) => body(),
      it: (title: string, body: () => Promise<void>) => void cases.push({ title, body }),
    }
    runStoreSuite(collect, harness('through two handles', double))
    expect(cases.length).toBeGreaterThan(40)
    for (const { title, body } of cases) await expect(body(), title).resolves.toBeUndefined()
  }, 240_000)
})

describe('the view of a run', () => {
  it('is kept by its projector in a table of its own, and a later one goes on from there [STO-19]', async () => {
    const url = await server.createDatabase('views')
    const store = await openPostgresStore({ connectionString: url })
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      const run = newRun({ runId: 'seen' })
      const specs = Array.from({ length: 400 }, (_, index) => step('StepStarted', `s${index}`))
      await store.commit([creation(run, specs)])
      let row = await rowOf(store, (await store.findRun(run))?.runKey ?? 0)
      for (const turn of [1, 2]) {
        await store.commit([
          nextCommit(
            row,
            specs.map((spec) => ({ ...spec, attempt: turn + 1 })),
          ),
        ])
        row = await rowOf(store, row.runKey)
      }
      const meta = { runId: run.runId, stepIds: [] }
      const deps = { store, clock: { now: () => Date.now() } }
      const projector = await openProjector(deps, run, meta)
      if (projector.ok) await projector.value.pump()
      const found = await client.query('SELECT kind, seq FROM keelson.run_snapshots')
      expect(found.rows).toEqual([{ kind: 'view', seq: expect.anything() as unknown }])
      expect(Number((found.rows[0] as { seq: string }).seq)).toBeGreaterThanOrEqual(1000)
      const again = await openProjector(deps, run, meta)
      expect(again.ok && again.value.state().view.lastEventSeq).toBe(Number((found.rows[0] as { seq: string }).seq))
    } finally {
      await client.end()
      await store.close()
    }
  })
})

const WRITERS = 8
const TURNS = 12

describe('writers at once', () => {
  let url = ''
  let handles: readonly RunStore[] = []
  beforeAll(async () => {
    url = await server.createDatabase('writers')
    handles = await Promise.all([1, 2, 3, 4].map(() => openPostgresStore({ connectionString: url })))
  })
  afterAll(() => Promise.all(handles.map((handle) => handle.close())))

  const handleOf = (index: number): RunStore => {
    const handle = handles[index % handles.length]
    if (handle === undefined) throw new Error('there is no handle')
    return handle
  }
  const started = async (runId: string): Promise<RunRow> => {
    const [result] = await handleOf(0).commit([creation(newRun({ runId }))])
    if (result?.kind !== 'committed') throw new Error('the run was not stored')
    return rowOf(handleOf(0), result.runKey)
  }
  const openly = (store: RunStore, run: RunRow, slot: string) =>
    store.appendOpen(run, [openWrite(run, step('StepStarted', slot))], openSeal(run))

  /** By compare and set, folding again after every conflict, as `advance` does. */
  const decided = async (store: RunStore, runKey: number, slot: string): Promise<void> => {
    for (;;) {
      const row = await rowOf(store, runKey)
      const specs = [step('StepStarted', slot), step('StepCompleted', slot)]
      const [result] = await store.commit([nextCommit(row, specs)])
      if (result?.kind === 'committed') return
      expect(result?.kind).toBe('conflict')
    }
  }

  it('through four handles lose nothing, and a poller by watermark misses no event [STO-02, STO-08, X-25, X-26]', async () => {
    const run = await started('polled')
    let writing = true
    const seen: number[] = []
    const poller = (async () => {
      for (let last = false; !last;) {
        last = !writing
        const page = await handleOf(3).readEvents(run.runKey, { afterSeq: seen.at(-1) ?? 0, limit: 5 })
        seen.push(...page.map(({ runSeq }) => runSeq))
        if (page.length > 0) last = false
      }
    })()
    let committed = run.nextSeq - 1
    const writer = async (index: number): Promise<void> => {
      for (let turn = 0; turn < TURNS; turn++) {
        const before = committed
        const slot = `w${index}.${turn}`
        if (index % 2 === 0) await decided(handleOf(index), run.runKey, slot)
        else {
          const [answer] = await openly(handleOf(index), run, slot)
          expect(answer?.runSeq).toBeGreaterThan(before)
          committed = Math.max(committed, answer?.runSeq ?? 0)
        }
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, (_, index) => writer(index)))
    writing = false
    await poller
    const events = await allEvents(handleOf(0), run.runKey)
    expect(seen).toEqual(events.map(({ runSeq }) => runSeq))
    expect(events.length).toBe(1 + (WRITERS / 2) * TURNS * 3)
    expect(seen).toEqual(seen.map((_, index) => index + 1))
    const { headHash } = await rowOf(handleOf(0), run.runKey)
    expect(Buffer.from(headHash).equals(events.at(-1)?.chainHash ?? Buffer.alloc(0))).toBe(true)
  })

  it('of one run wait for each other: no number shows before the lower ones [STO-08]', async () => {
    const run = await started('overlapping')
    const db = new Client({ connectionString: url })
    await db.connect()
    await db.query('BEGIN')
    await db.query('SELECT 1 FROM keelson.runs WHERE run_key = $1 FOR UPDATE', [run.runKey])
    const [second] = sealEvents(run, run, [step('StepStarted', 'first')])
    await db.query(
      `INSERT INTO keelson.events (run_key, seq, persisted_at, event_type, idempotency_key, chain_hash, record)
        VALUES ($1, 2, 0, 'StepStarted', $2, $3, $4)`,
      [run.runKey, second?.idempotencyKey, second?.chainHash, second?.record],
    )
    await db.query('UPDATE keelson.runs SET next_seq = 3, head_hash = $2 WHERE run_key = $1', [
      run.runKey,
      second?.chainHash,
    ])
    const later = openly(handleOf(1), run, 'later')
    for (;;) if ((await db.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length > 0) break
    expect((await handleOf(2).readEvents(run.runKey, { afterSeq: 1 })).length).toBe(0)
    await db.query('COMMIT')
    await db.end()
    expect((await later)[0]?.runSeq).toBe(3)
    const after = await handleOf(2).readEvents(run.runKey, { afterSeq: 1 })
    expect(after.map(({ runSeq }) => runSeq)).toEqual([2, 3])
  })

  it('of the first event of a run see no conflict; a duplicate at once is a duplicate [STO-18, X-26]', async () => {
    const run = await started('first')
    const answers = (
      await Promise.all(Array.from({ length: 24 }, (_, index) => openly(handleOf(index), run, `s${index % 3}`)))
    ).flat()
    expect(answers.filter(({ persisted }) => persisted).length).toBe(3)
    expect(answers.filter(({ idempotent }) => idempotent).length).toBe(21)
    expect((await allEvents(handleOf(0), run.runKey)).length).toBe(4)
  })

  it('of the same run id or the same request make one run, and each is told which', async () => {
    const births = Array.from({ length: 12 }, (_, index) =>
      handleOf(index).commit([
        creation(newRun({ runId: `twin-${index % 2}`, requestKey: 'twins' })),
        creation(newRun({ runId: `single-${index}` })),
      ]),
    )
    const answers = await Promise.all(births)
    const twins = answers.map(([first]) => first)
    expect(twins.filter((answer) => answer?.kind === 'committed').length).toBe(1)
    const born = (await handleOf(0).findRunByRequest('tenant-a', 'twins'))?.runId
    for (const [index, answer] of twins.entries()) {
      if (answer?.kind === 'committed') expect(`twin-${index % 2}`).toBe(born)
      else if (`twin-${index % 2}` === born) expect(answer).toEqual({ kind: 'run-exists' })
      else expect(answer).toEqual({ kind: 'request-exists', runId: born })
    }
    expect(answers.map(([, second]) => second?.kind)).toEqual(Array(12).fill('committed'))
  })
})
