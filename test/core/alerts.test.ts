/** Alerts about runs: told while they happen to who listens, and made again of the log for who asks later. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { loadPlan, openKeelson, type Alert, type Keelson } from '../../src/main.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { creation } from '../../src/testing/store/store-case.ts'
import type { EventSpec } from '../../src/testing/store/sealed-events.ts'
import { testFolder } from '../fixtures/folder.ts'
import { until } from '../fixtures/until.ts'

const TWO = loadPlan('plan: two\nversion: 1.0.0\nsteps: [{ id: a, run: f }, { id: b, run: g, dependsOn: [a] }]')
const steps = { f: () => 1, g: () => 2 }

async function all<T>(from: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = []
  for await (const one of from) found.push(one)
  return found
}

function behind(ms: number): RunStore {
  return openMemoryStore({ clock: { now: () => Date.now() - ms } })
}

/** A run whose log nobody here would write. Without the plan's hash, its plan is not known. */
async function planted(keelson: Keelson, store: RunStore, runId: string, specs: readonly EventSpec[], sha256?: string) {
  const planSha256 = sha256 ?? 'f'.repeat(64)
  const run = newRun({ runId, tenantId: 'local', planId: 'two', planSha256 })
  await store.commit([
    creation(
      run,
      specs.map((spec) => ({ emittedAt: Date.now(), ...spec })),
    ),
  ])
  return all(keelson.alerts({ runId }))
}

const STARTED: readonly EventSpec[] = [{ eventType: 'RunApproved' }, { eventType: 'RunStarted' }]
const step = (eventType: string, slot: string): EventSpec => ({ eventType, slot })

describe('alerts made of a log', () => {
  it('a step that starts before one it needs has ended is a causal violation, and is not taken for damage [PRJ-10, PRJ-27, OBS-04]', async () => {
    const store = openMemoryStore({ clock: { now: () => Date.now() } })
    await using keelson = await openKeelson({ store, directory: testFolder(), steps })
    const sha256 = await keelson.publish(TWO)
    const inverted = [...STARTED, step('StepStarted', 'a'), step('StepStarted', 'b'), step('StepCompleted', 'a')]
    const alerts = await planted(keelson, store, 'inverted', inverted, sha256)
    expect(alerts).toMatchObject([
      { code: 'PROJECTOR_CAUSAL_VIOLATION', priority: 'P3', runId: 'inverted', tenantId: 'local', runSeq: 4 },
    ])
    expect(await keelson.getSnapshot('inverted')).toMatchObject({
      lastEventSeq: 5,
      steps: [
        { stepId: 'a', status: 'SUCCESS' },
        { stepId: 'b', status: 'RUNNING' },
      ],
    })
    expect(await keelson.getSnapshot('inverted')).not.toHaveProperty('inconsistent')
    // The plan, and with it the edges, is not known here: that detection is off.
    expect(await planted(keelson, store, 'without-edges', inverted)).toEqual([])
  })

  it('an end before the start is applied, the late start fills in where and when, and both are told once [PRJ-22]', async () => {
    const store = openMemoryStore({ clock: { now: () => Date.now() } })
    await using keelson = await openKeelson({ store, directory: testFolder(), steps })
    const sha256 = await keelson.publish(TWO)
    const late = { startedAt: '2026-03-01T10:00:00.000Z', engineRunRef: 'embedded://elsewhere' }
    const specs = [
      { eventType: 'RunApproved' },
      { eventType: 'RunCompleted' },
      { eventType: 'RunStarted', payload: late },
    ]
    const alerts = await planted(keelson, store, 'late', specs, sha256)
    expect(alerts).toMatchObject([
      {
        code: 'INVALID_TRANSITION',
        priority: 'P2',
        runId: 'late',
        tenantId: 'local',
        eventType: 'RunCompleted',
        runSeq: 2,
        priorState: 'APPROVED',
        attemptedState: 'COMPLETED',
      },
      {
        code: 'INVALID_TRANSITION',
        eventType: 'RunStarted',
        runSeq: 3,
        priorState: 'COMPLETED',
        attemptedState: 'RUNNING',
      },
    ])
    for (const { alertId, eventId, persistedAt } of alerts) {
      expect(alertId).toBe(`late:${eventId}:INVALID_TRANSITION`)
      expect(Date.parse(persistedAt ?? '')).toBeGreaterThan(0)
    }
    expect(await all(keelson.alerts({ runId: 'late' }))).toEqual(alerts)
    expect(await keelson.getSnapshot('late')).toMatchObject({ status: 'COMPLETED', ...late })
  })

  it('an event that a step cannot have is ignored, and the snapshot says that the log does not fit [PRJ-22, OBS-05]', async () => {
    const store = openMemoryStore({ clock: { now: () => Date.now() } })
    await using keelson = await openKeelson({ store, directory: testFolder(), steps })
    const sha256 = await keelson.publish(TWO)
    const specs = [...STARTED, step('StepStarted', 'a'), step('StepSkipped', 'a')]
    expect(await planted(keelson, store, 'odd', specs, sha256)).toMatchObject([
      {
        code: 'INVALID_TRANSITION',
        priority: 'P2',
        tenantId: 'local',
        runSeq: 4,
        priorState: 'RUNNING',
        attemptedState: 'SKIPPED',
      },
    ])
    expect(await keelson.getSnapshot('odd')).toMatchObject({ inconsistent: true, steps: [{ status: 'RUNNING' }, {}] })
  })

  it('are those of the runs and of the time that are asked for', async () => {
    let now = Date.now()
    const store = openMemoryStore({ clock: { now: () => now } })
    await using keelson = await openKeelson({ store, directory: testFolder(), steps })
    const odd = [...STARTED, step('StepStarted', 'a'), step('StepSkipped', 'a')]
    await planted(keelson, store, 'old', odd)
    const between = (now += 1_000)
    await planted(keelson, store, 'new', odd)
    const runs = async (filter: Parameters<Keelson['alerts']>[0]): Promise<readonly string[]> =>
      (await all(keelson.alerts(filter))).map(({ runId }) => runId)
    expect(await runs({})).toEqual(['new', 'old'])
    expect(await runs({ since: between })).toEqual(['new'])
    expect(await runs({ since: new Date(between + 1) })).toEqual([])
    expect(await runs({ runId: 'old' })).toEqual(['old'])
    expect(await runs({ runId: 'old', since: between })).toEqual([])
    await expect(runs({ runId: 'nobody' })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  })
})

const isLag = ({ code }: { readonly code?: unknown }): boolean => code === 'PROJECTOR_LAG_HIGH'

/** A Keelson on that store, with every alert it was told and its log lines; how slow the machine is, is kept apart. */
async function listening(store: RunStore, more: Readonly<Record<string, unknown>> = {}) {
  const told: Alert[] = []
  const lagging: Alert[] = []
  const lines: Readonly<Record<string, unknown>>[] = []
  const keelson = await openKeelson({
    store,
    directory: testFolder(),
    steps,
    onAlert: (alert) => (isLag(alert) ? lagging : told).push(alert),
    log: (line) => lines.push(JSON.parse(line) as Readonly<Record<string, unknown>>),
    ...more,
  })
  return { keelson, told, lagging, lines }
}

describe('alerts told while they happen', () => {
  it('clocks ten minutes apart are told once for a run, as a call and as a line, and are in its log [EVT-32]', async () => {
    const { keelson, told, lines } = await listening(behind(-600_000))
    const run = await keelson.start(TWO)
    await run.result()
    const found = await all(keelson.alerts({ runId: run.runId }))
    await keelson.close()
    expect(told).toMatchObject([
      {
        code: 'CLOCK_SKEW',
        priority: 'P3',
        runId: run.runId,
        tenantId: 'local',
        runSeq: 1,
        detail: expect.stringMatching(/^Stored \d{3,} s after/) as unknown,
      },
    ])
    expect(found).toEqual(told)
    expect(lines.filter((line) => line['event'] === 'alert.raised' && !isLag(line))).toMatchObject([
      { level: 'warn', ...told[0] },
    ])
  })

  it('clocks that agree are no alert', async () => {
    const { keelson, told } = await listening(behind(0))
    await (await keelson.start(TWO)).result()
    await keelson.close()
    expect(told).toEqual([])
  })

  it('an alert that the log records has its priority there, and reaches the listener', async () => {
    const { keelson, told, lines } = await listening(behind(0), {
      steps: { f: () => new Promise(() => undefined), g: () => 2 },
    })
    const run = await keelson.start(TWO)
    await run.signal('EMERGENCY_STOP', { reason: 'smoke' })
    await run.result()
    await keelson.close()
    expect(told).toMatchObject([
      { code: 'DESTRUCTIVE_SIGNAL', priority: 'P1', runId: run.runId, tenantId: 'local', eventType: 'AlertRaised' },
    ])
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'alert.raised', level: 'error', code: 'DESTRUCTIVE_SIGNAL' }),
    )
  })

  it('a plan that was altered in the store is told once, with the first priority, by the process that finds it [OBS-04, OBS-10, P-45]', async () => {
    const directory = testFolder()
    let isAtWork = false
    const f = (): Promise<never> => ((isAtWork = true), new Promise(() => undefined))
    const first = await openKeelson({ directory, steps: { f, g: () => 2 } })
    const { runId } = await first.start(TWO)
    await until(() => isAtWork)
    await first.close()
    const database = new DatabaseSync(join(directory, 'keelson.db'))
    for (const { name } of database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all())
      database.exec(`DROP TRIGGER "${String(name)}"`)
    database.exec(`UPDATE plans SET text = replace(text, '"run":"g"', '"run":"f"')`)
    database.close()
    const told: Alert[] = []
    const ends: unknown[] = []
    const second = await openKeelson({ directory, steps, pollMs: 20, onAlert: (alert) => told.push(alert) })
    second.on('execution.completed', ({ executionId, status, error }) => ends.push({ executionId, status, ...error }))
    await until(async () => (await second.run(runId)).row.status === 'FAILED')
    const onRecord = await all(second.alerts({ runId }))
    await second.close()
    const altered = { code: 'PLAN_INTEGRITY_VALIDATION_FAILED', priority: 'P1', runId, tenantId: 'local' }
    expect(onRecord).toMatchObject([altered])
    expect(told.filter((alert) => !isLag(alert))).toMatchObject([altered])
    expect(ends).toEqual([{ executionId: runId, status: 'failed', code: altered.code, errorClass: 'validation' }])
  })

  it('an event that a subscription gave up is an alert of the first priority [OBS-04]', async () => {
    const { keelson, told } = await listening(behind(0))
    const run = await keelson.start(TWO)
    await run.result()
    const fails = ({ record }: { readonly record: { readonly eventType: string } }): void => {
      if (record.eventType === 'RunCompleted') throw new Error('the ledger is down')
    }
    const subscription = keelson.subscribe('ledger', fails, { maxAttempts: 1, onProblem: () => undefined })
    await subscription.drain()
    await keelson.close()
    expect(told).toMatchObject([
      { code: 'EVENT_BUS_DELIVERY_FAILED', priority: 'P1', runId: run.runId, tenantId: 'local' },
    ])
  })

  it('a listener that throws harms nobody', async () => {
    const store = behind(-600_000)
    const warned: string[] = []
    const onWarning = (warning: Error & { readonly code?: string }): void => void warned.push(warning.code ?? '')
    process.on('warning', onWarning)
    const onAlert = (): void => {
      throw new Error('no room')
    }
    const keelson = await openKeelson({ store, directory: testFolder(), steps, onAlert })
    expect(await (await keelson.start(TWO)).result()).toMatchObject({ status: 'COMPLETED' })
    await keelson.close()
    await until(() => warned.includes('LISTENER_FAILED'))
    process.off('warning', onWarning)
  })
})
