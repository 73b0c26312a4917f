/**
 * Runs of which something stored is damaged: every call says that the run was set aside, why, and how far it is sound; nobody
 * waits for it for ever; and what is advised works: export it, and fork it from the last sound event.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KeelsonError, loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import type { RunRow, RunStore, StoredEvent } from '../../src/ports/run-store.ts'
import { memoryPlanter, postgresPlanter, sqlitePlanter, type Planter } from '../chaos/poison-planters.ts'
import { until } from '../fixtures/until.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, index) => (index === 7 ? byte ^ 1 : byte))

interface Damage {
  readonly name: string
  /** Number of the last event that is sound afterwards; the log has seven. */
  readonly sound: number
  readonly says: RegExp
  readonly canFork?: false
  readonly plant: (planter: Planter, row: RunRow, events: readonly StoredEvent[]) => Promise<void>
}

const BIG = 'x'.repeat(70_000)

const DAMAGES: readonly Damage[] = [
  {
    name: 'an event is no JSON',
    sound: 4,
    says: /event 5 .*cannot be read/,
    plant: (planter, { runKey }) => planter.setEvent(runKey, 5, { record: '{"eventType":' }),
  },
  {
    name: 'an event says something else',
    sound: 4,
    says: /event 5 does not fit the chain/,
    plant: (planter, { runKey }, events) =>
      planter.setEvent(runKey, 5, { record: (events[4]?.record ?? '').replace(/"emittedAt":"2/, '"emittedAt":"1') }),
  },
  {
    name: 'an event has another hash',
    sound: 3,
    says: /event 4 does not fit the chain/,
    plant: (planter, { runKey }, events) =>
      planter.setEvent(runKey, 4, { chain_hash: flipped(events[3]?.chainHash ?? new Uint8Array()) }),
  },
  {
    name: 'an event in the middle is gone',
    sound: 4,
    says: /event 5 is missing/,
    plant: (planter, { runKey }) => planter.dropEvents(runKey, 5, 5),
  },
  {
    name: 'the last event is gone',
    sound: 6,
    says: /event 7 is missing/,
    plant: (planter, { runKey }) => planter.dropEvents(runKey, 7, 7),
  },
  {
    name: 'the row names another head',
    sound: 7,
    says: /does not end at the head/,
    plant: (planter, { runKey, headHash }) => planter.setRun(runKey, { head_hash: flipped(headHash) }),
  },
  {
    name: 'the first event is gone',
    sound: 0,
    says: /event 1 is missing; no event of it is sound/,
    canFork: false,
    plant: (planter, { runKey }) => planter.dropEvents(runKey, 1, 1),
  },
  {
    name: 'the plan is gone',
    sound: 7,
    says: /no stored plan has the hash/,
    canFork: false,
    plant: (planter, { planSha256 }) => planter.setPlan(planSha256, undefined),
  },
]

describe.each([
  ['memory', memoryPlanter],
  ['SQLite', sqlitePlanter],
  ['PostgreSQL', postgresPlanter],
] as const)('a run that was set aside, in %s', (_name, makePlanter) => {
  let planter: Planter
  let folder = ''
  beforeAll(async () => {
    planter = await makePlanter()
    folder = mkdtempSync(join(tmpdir(), 'keelson-aside-'))
  })
  afterAll(async () => {
    await planter.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = async (over: (store: RunStore) => RunStore = (store) => store): Promise<Keelson> =>
    openKeelson({
      store: over(await planter.open()),
      steps: { f: () => 'made', big: () => BIG },
      keysDirectory: join(folder, 'keys'),
      directory: folder,
      adopt: false,
      pollMs: 20,
    })

  /** A run with seven events that waits for an hour and that nobody drives; its plan is its own. */
  async function waitingRun(name: string): Promise<RunHandle> {
    const plan = loadPlan(`plan: ${name.replaceAll(/[^a-z]/g, '-')}
version: 1.0.0
steps: [{ id: a, run: f }, { id: b, run: big }, { id: w, wait: { forMs: 3600000 } }, { id: c, run: f }]`)
    const keelson = await open()
    const handle = await keelson.start(plan, { n: 1 })
    await until(async () => (await handle.records()).length === 7)
    await keelson.close()
    return handle
  }

  async function refusal(work: Promise<unknown>): Promise<KeelsonError> {
    const thrown: unknown = await work.then(
      () => undefined,
      (error: unknown) => error,
    )
    if (thrown instanceof KeelsonError) return thrown
    throw new Error('nothing was refused', { cause: thrown })
  }

  it.each(DAMAGES)('because $name: every call says so and why, and the advised fork works', async (damage) => {
    const made = await waitingRun(damage.name)
    const store = await planter.open()
    const row = (await store.getRun(made.row.runKey)) as RunRow
    await damage.plant(planter, row, await store.readEvents(row.runKey, {}))
    await store.close()
    await using keelson = await open()
    const handle = await keelson.run(made.runId)
    const waiting = refusal(handle.result())
    // Whoever drives it finds the damage and sets it aside; where its plan is gone, it is not even taken over.
    await keelson.adopt(made.runId).catch(() => undefined)
    const problem = { code: 'RUN_QUARANTINED' }
    expect(await waiting).toMatchObject(problem)
    expect((await waiting).message).toMatch(damage.says)
    expect((await keelson.run(made.runId)).row.quarantine).toBeDefined()
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      result: () => handle.result(),
      output: () => handle.output(),
      cancel: () => handle.cancel(),
      pause: () => handle.pause(),
      resume: () => handle.resume(),
      signal: () => handle.signal('RETRY_STEP', { stepId: 'a' }),
      why: () => handle.why('w'),
      snapshot: () => handle.snapshot(),
      context: () => handle.context(),
      tasks: () => handle.tasks(),
      records: () => handle.records(),
      adopt: () => keelson.adopt(made.runId),
      fork: () => keelson.fork(made.runId),
      migrate: () => keelson.migrate(made.runId, { to: 'embedded' }),
      events: async () => {
        for await (const event of handle.events()) expect(event.runSeq).toBeLessThanOrEqual(damage.sound)
      },
    }
    for (const [name, call] of Object.entries(calls)) {
      const refused = await refusal(call())
      expect({ name, code: refused.code }).toEqual({ name, code: 'RUN_QUARANTINED' })
      expect(`${name}: ${refused.message}`).toMatch(damage.says)
      expect(refused.problems[0]?.details).toMatchObject({ soundSeq: damage.sound })
    }
    expect(await servicesOf(keelson).store.readInbox(made.row.runKey)).toEqual([])
    const kept = await keelson.maintenance.export(handle.row, folder, `${made.runId}.jsonl`)
    expect(readFileSync(kept.place, 'utf8')).toContain(made.runId)
    if (damage.canFork === false) {
      expect(await refusal(keelson.fork(made.runId, { atSeq: damage.sound }))).toMatchObject(problem)
      return
    }
    expect(await refusal(keelson.fork(made.runId, { atSeq: damage.sound + 1 }))).toMatchObject(problem)
    const fork = await keelson.fork(made.runId, { atSeq: damage.sound })
    await until(async () => (await fork.records()).some(({ stepId }) => stepId === 'w'))
    const done = (await fork.records()).filter(({ eventType }) => eventType === 'StepCompleted')
    const taken = done.filter(({ payload }) => payload?.['reusedFrom'] !== undefined)
    expect(taken.map(({ stepId }) => stepId)).toEqual(damage.sound >= 6 ? ['a', 'b'] : damage.sound >= 4 ? ['a'] : [])
    await fork.cancel()
    expect((await fork.result()).status).toBe('CANCELLED')
  })

  it('because a large value is missing is set aside by whoever needs it, and the call that waits is told', async () => {
    const plan = loadPlan(`plan: lost-value
version: 1.0.0
steps: [{ id: b, run: big }, { id: w, wait: { forMs: 300 } }, { id: c, run: f, with: { of: "\${steps.b.output}" } }]`)
    const first = await open()
    const made = await first.start(plan, {})
    await until(async () => (await made.records()).length === 5)
    await first.close()
    await using keelson = await open((store) => ({ ...store, getBlob: async () => undefined }))
    const handle = await keelson.run(made.runId)
    await keelson.adopt(made.runId)
    const refused = await refusal(handle.result())
    expect(refused).toMatchObject({ code: 'RUN_QUARANTINED' })
    expect(refused.message).toMatch(
      /event 4 names the stored value [0-9a-f]{64}, which is missing; it is sound up to event 3/,
    )
  })

  it('while others go on: their tasks and ends are not held up', async () => {
    const plan = loadPlan('plan: asks\nversion: 1.0.0\nsteps: [{ id: ok, manual: { title: Fine? } }]')
    const first = await open()
    const [bad, good] = [await first.start(plan), await first.start(plan)]
    await until(async () => (await good.tasks()).length === 1 && (await bad.tasks()).length === 1)
    await first.close()
    await planter.setEvent(bad.row.runKey, 2, { record: '{' })
    await using keelson = await open()
    const shown: string[] = []
    for await (const task of keelson.tasks({ planId: 'asks' })) shown.push(task.runId)
    expect(shown).toEqual([good.runId])
  })
})
