import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { IDENTITY, sampleOf, SAMPLES, sha256Of } from '../../test/golden/event-samples.ts'
import { openMemoryStore } from '../adapters/stores/memory/store.ts'
import { EVENT_TYPES, type RunIdentity, type WriteOf } from '../core/events/event.ts'
import { KeelsonError, type Problem } from '../core/problems/problem.ts'
import { projectRun } from '../core/view/project-run.ts'
import { snapshotOf } from '../core/view/snapshot-of.ts'
import type { RunRow, RunStore } from '../ports/run-store.ts'
import { appendEvents, appendStrictly, keyOfWrite, type AppendResult } from './append-open.ts'
import { recordOf } from './read-events.ts'
import { verifyChain } from './verify-chain.ts'

const NOW = 1_772_359_201_234
const options = { random: { uuid: () => randomUUID(), bytes: (length: number) => new Uint8Array(randomBytes(length)) } }
const summary = {
  status: 'PENDING',
  rulesVersion: 1,
  minRulesVersion: 1,
  stepsTotal: 1,
  stepsDone: 0,
  stepsFailed: 0,
} as const

async function storeWithRun(identity: RunIdentity = IDENTITY): Promise<{ store: RunStore; row: RunRow }> {
  const store = openMemoryStore({ clock: { now: () => NOW } })
  const engine = { engineType: 'embedded', engineRunRef: `embedded://${identity.runId}` }
  const create = { ...identity, planSha256: '0'.repeat(64), ...engine }
  await store.commit([{ create, expected: { epoch: 1, nextSeq: 1 }, events: [], summary }])
  const row = await store.findRun(identity)
  if (row === undefined) throw new Error('the run was not created')
  return { store, row }
}

async function refusal(promise: Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await promise
  } catch (error) {
    if (error instanceof KeelsonError) return error.problems
    throw error
  }
  return []
}

const without = (write: object, name: string): object =>
  Object.fromEntries(Object.entries(write).filter(([key]) => key !== name))
const length = async (store: RunStore, row: RunRow) => (await store.readEvents(row.runKey, {})).length

async function snapshot(store: RunStore, row: RunRow) {
  const read = (await store.readEvents(row.runKey, {})).map(recordOf)
  const records = read.flatMap((result) => (result.ok ? [result.value] : []))
  expect(records).toHaveLength(read.length)
  return snapshotOf(projectRun({ runId: IDENTITY.runId, stepIds: [] }, records).view)
}

function stepStarted(attempt: number, changes: object = {}): WriteOf<'StepStarted'> {
  const { runId, planVersion } = IDENTITY
  const idempotencyKey = sha256Of(`${runId}|load|${attempt}|StepStarted|${planVersion}`)
  return { ...sampleOf('StepStarted'), logicalAttemptId: attempt, idempotencyKey, eventId: randomUUID(), ...changes }
}

describe('an open append', () => {
  it('stores every kind of event whole, and every record read back has its number and its time [EVT-09]', async () => {
    const { store, row } = await storeWithRun()
    const writes = SAMPLES.filter(({ eventType }) => eventType !== 'StepFailed' && eventType !== 'StepSkipped')
    const results = await appendEvents(store, IDENTITY, writes, options)
    expect(results.map((result) => result.runSeq)).toEqual(writes.map((_, index) => index + 1))
    const records = (await store.readEvents(row.runKey, {})).map(recordOf)
    for (const [index, write] of writes.entries()) {
      expect(records[index]).toMatchObject({
        ok: true,
        value: {
          ...write,
          runSeq: index + 1,
          persistedAt: '2026-03-01T10:00:01.234Z',
          decision: { firstSeq: 1, cause: 'append' },
        },
      })
    }
    const events = await store.readEvents(row.runKey, {})
    expect(verifyChain(events)).toMatchObject({
      checked: writes.length,
      headHash: Buffer.from(events.at(-1)?.chainHash ?? []).toString('hex'),
    })
    expect(verifyChain(events).broken).toBeUndefined()
  })

  it('refuses a number, a time, a decision or a hash that the producer brought itself [EVT-09]', async () => {
    const { store, row } = await storeWithRun()
    const brought = {
      runSeq: 7,
      persistedAt: '2026-03-01T10:00:00Z',
      decision: { firstSeq: 1, cause: 'start' },
      chainHash: '0'.repeat(64),
    }
    for (const [name, value] of [
      ...Object.entries(brought),
      ['salt', '0'.repeat(32)],
      ['dataHash', '0'.repeat(64)],
    ] as const) {
      const problems = await refusal(
        appendEvents(store, IDENTITY, [{ ...sampleOf('RunPaused'), [name]: value }], options),
      )
      expect(problems).toMatchObject([{ code: 'SCHEMA_VALIDATION_FAILED', message: expect.stringContaining(name) }])
    }
    expect(await length(store, row)).toBe(0)
  })

  it('refuses an event that lacks one of its identity fields, whichever it is [EVT-07]', async () => {
    const { store, row } = await storeWithRun()
    const names = [
      'runId',
      'tenantId',
      'projectId',
      'environmentId',
      'planId',
      'planVersion',
      'engineAttemptId',
      'logicalAttemptId',
      'idempotencyKey',
      'eventType',
      'eventId',
      'stepId',
    ]
    for (const name of names) {
      const problems = await refusal(appendEvents(store, IDENTITY, [without(sampleOf('StepStarted'), name)], options))
      expect(problems, name).toMatchObject([{ code: 'SCHEMA_VALIDATION_FAILED' }])
    }
    expect(await length(store, row)).toBe(0)
  })

  it('stores nothing of an invalid event: no row, no number, no content for anybody to read [EVT-25]', async () => {
    const { store, row } = await storeWithRun()
    for (const type of EVENT_TYPES) {
      const write = { ...sampleOf(type), payload: { surprise: 1 } }
      expect(await refusal(appendEvents(store, IDENTITY, [write], options)), type).toMatchObject([
        { code: 'SCHEMA_VALIDATION_FAILED' },
      ])
    }
    expect(await length(store, row)).toBe(0)
    expect(await store.findRun(IDENTITY)).toEqual(row)
    const [next] = await appendEvents(store, IDENTITY, [sampleOf('RunApproved')], options)
    expect(next?.runSeq).toBe(1)
  })

  it('stamps the time of the store, not that of a producer whose clock is an hour ahead [EVT-13]', async () => {
    const { store, row } = await storeWithRun()
    const [result] = await appendEvents(
      store,
      IDENTITY,
      [stepStarted(1, { emittedAt: '2026-03-01T11:00:01.234Z' })],
      options,
    )
    expect(result?.persistedAt).toBe('2026-03-01T10:00:01.234Z')
    const [stored] = await store.readEvents(row.runKey, {})
    expect(stored?.persistedAt).toBe(NOW)
  })

  it('refuses an event of another tenant, project, environment, plan or plan version [STO-28]', async () => {
    const { store, row } = await storeWithRun()
    for (const name of ['tenantId', 'projectId', 'environmentId', 'planId', 'planVersion', 'runId'] as const) {
      const write = { ...sampleOf('RunPaused'), [name]: 'other' }
      const keyed = { ...write, idempotencyKey: keyOfWrite(write) }
      expect(await refusal(appendEvents(store, IDENTITY, [keyed], options)), name).toMatchObject([
        { code: 'RUN_SCOPE_MISMATCH', message: expect.stringContaining(name) },
      ])
    }
    expect(await length(store, row)).toBe(0)
  })

  it('refuses a run that the tenant does not have', async () => {
    const { store } = await storeWithRun()
    const problems = await refusal(
      appendEvents(store, { ...IDENTITY, tenantId: 'rival' }, [sampleOf('RunPaused')], options),
    )
    expect(problems).toMatchObject([{ code: 'RUN_NOT_FOUND' }])
  })

  it('numbers a batch in its order with a result for each, a duplicate among them [STO-29]', async () => {
    const { store, row } = await storeWithRun()
    const [first] = await appendEvents(store, IDENTITY, [stepStarted(2)], options)
    const results = await appendEvents(
      store,
      IDENTITY,
      [1, 2, 3, 4, 5].map((attempt) => stepStarted(attempt)),
      options,
    )
    expect(results.map(({ runSeq, idempotent, persisted }) => [runSeq, idempotent, persisted])).toEqual([
      [2, false, true],
      [1, true, false],
      [3, false, true],
      [4, false, true],
      [5, false, true],
    ])
    expect(results[1]?.eventId).toBe(first?.eventId)
    const attempts = (await store.readEvents(row.runKey, {})).map(
      (event) => (JSON.parse(event.record) as { logicalAttemptId: number }).logicalAttemptId,
    )
    expect(attempts).toEqual([2, 1, 3, 4, 5])
  })

  it('stores nothing of a batch with one invalid event in it, and says which one [STO-29]', async () => {
    const { store, row } = await storeWithRun()
    const writes = [stepStarted(1), stepStarted(2), stepStarted(3, { payload: {} }), stepStarted(4), stepStarted(5)]
    expect(await refusal(appendEvents(store, IDENTITY, writes, options))).toMatchObject([
      { code: 'SCHEMA_VALIDATION_FAILED', pointer: '/2' },
    ])
    expect(await length(store, row)).toBe(0)
  })

  it('refuses what is too large before the store sees it', async () => {
    const { store, row } = await storeWithRun()
    const write = { ...sampleOf('StepCompleted'), data: { result: 'x'.repeat(65_536) } }
    expect(await refusal(appendEvents(store, IDENTITY, [write], options))).toMatchObject([
      { code: 'PAYLOAD_TOO_LARGE' },
    ])
    expect(await length(store, row)).toBe(0)
  })
})

describe('an event that is there already', () => {
  it('is answered with the values of the first write, and never stored twice [IDM-08, IDM-09]', async () => {
    const { store, row } = await storeWithRun()
    const [first] = await appendEvents(store, IDENTITY, [stepStarted(1)], options)
    const [second] = await appendEvents(store, IDENTITY, [stepStarted(1)], options)
    expect(first).toMatchObject({ runSeq: 1, idempotent: false, persisted: true })
    expect(second).toEqual({ ...first, idempotent: true, persisted: false })
    const many = await Promise.all(
      Array.from({ length: 100 }, () => appendEvents(store, IDENTITY, [stepStarted(2)], options)),
    )
    const results = many.flat()
    expect(results.filter((result) => result.persisted)).toHaveLength(1)
    expect(results.filter((result) => result.idempotent)).toHaveLength(99)
    expect(new Set(results.map((result) => `${result.runSeq} ${result.eventId}`)).size).toBe(1)
    expect(await length(store, row)).toBe(2)
  })

  it('is recognised when a worker died after the append and the platform tries again [IDM-04]', async () => {
    const { store, row } = await storeWithRun()
    await appendEvents(store, IDENTITY, [stepStarted(1, { engineAttemptId: 1 })], options)
    const [again] = await appendEvents(store, IDENTITY, [stepStarted(1, { engineAttemptId: 2 })], options)
    expect(again).toMatchObject({ idempotent: true, persisted: false, runSeq: 1 })
    expect(again).not.toHaveProperty('conflict')
    expect(await length(store, row)).toBe(1)
  })

  it('gives the stored id to a producer that came back with a new one [EVT-28]', async () => {
    const { store } = await storeWithRun()
    const lost = stepStarted(1)
    const retried = stepStarted(1)
    expect(retried.eventId).not.toBe(lost.eventId)
    await appendEvents(store, IDENTITY, [lost], options)
    const [answer] = await appendEvents(store, IDENTITY, [retried], options)
    expect(answer?.eventId).toBe(lost.eventId)
  })

  it('is an error in strict mode, and the log stays as it was [X-09]', async () => {
    const { store, row } = await storeWithRun()
    const first = await appendStrictly(store, IDENTITY, stepStarted(1), options)
    expect(first).toMatchObject({ runSeq: 1, persisted: true })
    expect(await refusal(appendStrictly(store, IDENTITY, stepStarted(1), options))).toMatchObject([
      { code: 'IDEMPOTENCY_KEY_EXISTS' },
    ])
    expect(await length(store, row)).toBe(1)
  })

  it('with other content is a counted mismatch that gets the kept record back [IDM-13, X-10, P-15]', async () => {
    const { store, row } = await storeWithRun()
    const mismatches: AppendResult[] = []
    const counting = { ...options, onMismatch: (_: unknown, result: AppendResult) => mismatches.push(result) }
    const kept = { ...sampleOf('StepCompleted'), data: { result: { rows: 3 } } }
    const others = [
      { ...kept, data: { result: { rows: 4 } } },
      { ...kept, payload: { ...kept.payload, durationMs: 13 } },
      without(kept, 'data'),
    ]
    await appendEvents(store, IDENTITY, [kept], counting)
    await appendEvents(
      store,
      IDENTITY,
      [{ ...kept, emittedAt: '2026-03-02T00:00:00Z', eventId: randomUUID() }],
      counting,
    )
    expect(mismatches).toEqual([])
    for (const other of others) {
      const [result] = await appendEvents(store, IDENTITY, [other], counting)
      expect(result).toMatchObject({
        conflict: true,
        idempotent: true,
        existing: { payload: kept.payload, data: kept.data },
      })
    }
    expect(mismatches).toHaveLength(3)
    expect(await length(store, row)).toBe(1)
  })

  it('is told apart by signal: two signals are two rows, one delivered twice is one [IDM-11]', async () => {
    const { store, row } = await storeWithRun()
    const signal = (signalId: string) => {
      const write = { ...sampleOf('SignalAccepted'), payload: { ...sampleOf('SignalAccepted').payload, signalId } }
      return { ...write, idempotencyKey: keyOfWrite(write) }
    }
    await appendEvents(store, IDENTITY, [signal('s-1'), signal('s-2'), signal('s-1')], options)
    expect(await length(store, row)).toBe(2)
  })

  it('is told apart by pause cycle: four rows of two pauses, and the run runs again [IDM-10, X-06]', async () => {
    const { store, row } = await storeWithRun()
    const cycle = (type: 'RunPaused' | 'RunResumed', logicalAttemptId: number) => {
      const { runId, planVersion } = IDENTITY
      const idempotencyKey = sha256Of(`${runId}|RUN|${logicalAttemptId}|${type}|${planVersion}`)
      return { ...sampleOf(type), logicalAttemptId, idempotencyKey }
    }
    await appendEvents(store, IDENTITY, [sampleOf('RunApproved'), sampleOf('RunStarted')], options)
    const expected = ['PAUSED', 'RUNNING', 'PAUSED', 'RUNNING']
    const cycles = [cycle('RunPaused', 1), cycle('RunResumed', 1), cycle('RunPaused', 2), cycle('RunResumed', 2)]
    for (const [index, write] of cycles.entries()) {
      const [result] = await appendEvents(store, IDENTITY, [write], options)
      expect(result).toMatchObject({ persisted: true, runSeq: 3 + index })
      expect((await snapshot(store, row)).status).toBe(expected[index])
    }
  })

  it('does not start a run again: of several deliveries of RunStarted the first alone counts [IDM-12]', async () => {
    const { store, row } = await storeWithRun()
    const started = (startedAt: string) => ({
      ...sampleOf('RunStarted'),
      payload: { ...sampleOf('RunStarted').payload, startedAt },
    })
    await appendEvents(store, IDENTITY, [sampleOf('RunApproved'), started('2026-03-01T10:00:00.000Z')], options)
    const first = await snapshot(store, row)
    for (const startedAt of ['2026-03-01T11:00:00.000Z', '2026-03-01T09:00:00.000Z']) {
      const [again] = await appendEvents(store, IDENTITY, [started(startedAt)], options)
      expect(again).toMatchObject({ persisted: false, conflict: true, runSeq: 2 })
    }
    expect(first.startedAt).toBe('2026-03-01T10:00:00.000Z')
    expect(await snapshot(store, row)).toEqual(first)
  })
})

describe('the key of a write', () => {
  it('must be the hash of its key text: a made-up one is refused [IDM-14]', async () => {
    const { store, row } = await storeWithRun()
    const keys = ['pause-run-1', `val-${IDENTITY.runId}-1.2.0`, 'A'.repeat(64), '0'.repeat(63), sha256Of('pause-run-1')]
    for (const idempotencyKey of keys) {
      const problems = await refusal(
        appendEvents(store, IDENTITY, [{ ...sampleOf('RunPaused'), idempotencyKey }], options),
      )
      expect(problems, idempotencyKey).toMatchObject([{ code: 'SCHEMA_VALIDATION_FAILED' }])
    }
    const terminal = (type: string) => type === 'StepFailed' || type === 'StepSkipped'
    await appendEvents(
      store,
      IDENTITY,
      SAMPLES.filter((write) => !terminal(write.eventType)),
      options,
    )
    for (const event of await store.readEvents(row.runKey, {})) {
      expect((JSON.parse(event.record) as { idempotencyKey: string }).idempotencyKey).toMatch(/^[a-f0-9]{64}$/)
    }
  })

  it('takes the six-part formula only behind its switch; without it the five-part one [IDM-06]', async () => {
    const { store } = await storeWithRun()
    const { runId, planId, planVersion } = IDENTITY
    const v2 = {
      ...sampleOf('RunPaused'),
      idempotencyKey: sha256Of(`${runId}|RUN|1|RunPaused|${planId}|${planVersion}`),
    }
    expect(keyOfWrite(v2, 'v2')).toBe(v2.idempotencyKey)
    expect(keyOfWrite(v2)).toBe(sampleOf('RunPaused').idempotencyKey)
    expect(await refusal(appendEvents(store, IDENTITY, [v2], options))).toMatchObject([
      { code: 'SCHEMA_VALIDATION_FAILED' },
    ])
    const [result] = await appendEvents(store, IDENTITY, [v2], { ...options, keyVersion: 'v2' })
    expect(result?.persisted).toBe(true)
  })
})
