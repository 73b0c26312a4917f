/** A log that others made, taken in: what is stored of it, what is refused, and what happens when it comes again. */
import { describe, expect, it } from 'vitest'
import type { Keelson } from '../../src/main.ts'
import { sha256Of } from '../golden/event-samples.ts'
import {
  endedLog,
  keyOf,
  liveLog,
  openHere,
  problemsOf,
  RUN_ID,
  seedOne,
  seedZero,
  startedFlat,
  textOf,
  type Fields,
} from '../fixtures/foreign-log.ts'

const none = { mismatches: [], ignored: [], leftOut: [] }

async function isEmpty(keelson: Keelson): Promise<boolean> {
  return (await keelson.list()).runs.length === 0
}

describe('a foreign log', () => {
  it('in the literal form of S1 becomes a run that can be read [EVT-12, X-01]', async () => {
    await using keelson = await openHere()
    expect(await keelson.importLog(textOf(endedLog()))).toEqual({
      runId: RUN_ID,
      status: 'COMPLETED',
      added: 8,
      known: 0,
      ...none,
    })
    const run = await keelson.run(RUN_ID)
    const { status, steps, startedAt } = await run.snapshot()
    expect({ status, startedAt }).toEqual({ status: 'COMPLETED', startedAt: '2026-03-01T10:00:00.000Z' })
    expect(steps.map(({ stepId, status: of, attempts }) => [stepId, of, attempts.length])).toEqual([
      ['load', 'SUCCESS', 2],
      ['ship', 'SUCCESS', 1],
    ])
    expect(await run.result()).toEqual({ runId: RUN_ID, status: 'COMPLETED' })
    const [first, , failed] = await run.records()
    expect(first).toMatchObject({
      runSeq: 1,
      tenantId: 'local',
      projectId: 'warehouse',
      emittedBy: 'engine',
      emittedAt: '2026-03-01T10:00:00.000Z',
      decision: { firstSeq: 1, cause: 'import' },
    })
    expect(failed).toMatchObject({
      payload: { error: { code: 'TIMEOUT', retryable: true, errorClass: 'timeout' }, final: true },
      data: { errorText: { message: 'took 31 s', stackTrace: 'at load' } },
    })
    expect(run.row).toMatchObject({ engineType: 'foreign', status: 'COMPLETED', stepsDone: 2, stepsTotal: 2 })
    expect(await run.damage()).toBeUndefined()
  })

  it('in the flat form of S0 says its scope and plan once, for all its events [EVT-33]', async () => {
    await using keelson = await openHere()
    const started = seedZero('StepStarted', 1, { startedAt: '2026-03-01T10:00:01.000Z' }, 'load')
    await keelson.importLog(textOf([startedFlat(), started]))
    const run = await keelson.run(RUN_ID)
    expect((await run.records()).map(({ planId, projectId, stepId }) => [planId, projectId, stepId])).toEqual([
      ['nightly', 'warehouse', undefined],
      ['nightly', 'warehouse', 'load'],
    ])
    expect(run.row.planSha256).toBe(sha256Of('nightly'))
    expect(await run.recordsAs('s0')).toMatchObject([startedFlat(), started].map(({ eventId: _, ...one }) => one))
  })

  it('may come again and longer: only what is new is added, and its numbers go on [IDM-09]', async () => {
    await using keelson = await openHere()
    expect(await keelson.importLog(textOf(liveLog()))).toMatchObject({ status: 'RUNNING', added: 6, known: 0 })
    expect(await keelson.importLog(textOf(liveLog()))).toMatchObject({ added: 0, known: 6, ...none })
    expect(await keelson.importLog(textOf(endedLog()))).toMatchObject({ status: 'COMPLETED', added: 2, known: 6 })
    const numbers = (await (await keelson.run(RUN_ID)).records()).map(({ runSeq }) => runSeq)
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('with other content under a known key keeps the first event, and counts the mismatch with its line [IDM-13, X-10, P-15]', async () => {
    await using keelson = await openHere()
    await keelson.importLog(textOf(endedLog()))
    const other = endedLog().map((one) =>
      one['eventType'] === 'StepCompleted' && one['stepId'] === 'load'
        ? { ...one, payload: { result: { rows: 4 }, durationMs: 12 } }
        : { ...one, occurredAt: '2026-03-01T10:00:00.000Z', payload: one['payload'] },
    )
    const answer = await keelson.importLog(textOf([other[4]]))
    expect(answer).toMatchObject({
      added: 0,
      known: 1,
      mismatches: [{ line: 1, eventType: 'StepCompleted', runSeq: 5 }],
    })
    const kept = (await (await keelson.run(RUN_ID)).records())[4]
    expect(kept?.data).toEqual({ result: { rows: 3 } })
  })

  it('that is imported strictly may hold nothing that is stored [X-09]', async () => {
    await using keelson = await openHere()
    await keelson.importLog(textOf(liveLog()), { strict: true })
    const problems = await problemsOf(keelson.importLog(textOf(endedLog()), { strict: true, file: 'run.jsonl' }))
    expect(problems.map(({ code, at }) => [code, at?.file, at?.line])).toEqual(
      [1, 2, 3, 4, 5, 6].map((line) => ['IDEMPOTENCY_KEY_EXISTS', 'run.jsonl', line]),
    )
    expect((await (await keelson.run(RUN_ID)).records()).length).toBe(6)
  })
})

describe('a bad log', () => {
  it('is refused whole, with the line of every problem [STO-29, EVT-25]', async () => {
    await using keelson = await openHere()
    const lines = liveLog().map((one) => JSON.stringify(one))
    const broken = [...lines.slice(0, 2), '{"eventType": ', '', '7', ...lines.slice(2)].join('\n')
    expect((await problemsOf(keelson.importLog(broken))).map(({ code, at }) => [code, at?.line])).toEqual([
      ['SCHEMA_VALIDATION_FAILED', 3],
      ['SCHEMA_VALIDATION_FAILED', 5],
    ])
    const [a, b, c, ...rest] = liveLog()
    const wrong = [a, { ...b, idempotencyKey: 'pause-run-1' }, { ...c, logicalAttemptId: 0 }, ...rest]
    expect((await problemsOf(keelson.importLog(textOf(wrong)))).map(({ code, at }) => [code, at?.line])).toEqual([
      ['SCHEMA_VALIDATION_FAILED', 2],
      ['SCHEMA_VALIDATION_FAILED', 3],
    ])
    expect(await isEmpty(keelson)).toBe(true)
  })

  it('of two runs, tenants or plans is refused where the second begins [STO-28]', async () => {
    await using keelson = await openHere()
    for (const name of ['runId', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion']) {
      const [first, second, ...rest] = liveLog()
      const problems = await problemsOf(keelson.importLog(textOf([first, { ...second, [name]: 'other' }, ...rest])))
      expect(problems, name).toMatchObject([{ code: 'RUN_SCOPE_MISMATCH', at: { line: 2 } }])
    }
    expect(await isEmpty(keelson)).toBe(true)
  })

  it('with an end that has no start is refused the same way twice, and taken where the start only comes late [STO-25]', async () => {
    await using keelson = await openHere()
    const ended = seedOne('StepCompleted', 2, { stepId: 'load' })
    const first = await problemsOf(keelson.importLog(textOf([seedOne('RunStarted', 0), ended])))
    expect(first).toMatchObject([{ code: 'INVALID_TRANSITION', details: { actualState: 'PENDING' }, at: { line: 2 } }])
    expect(await problemsOf(keelson.importLog(textOf([seedOne('RunStarted', 0), ended])))).toEqual(first)
    expect(await isEmpty(keelson)).toBe(true)
    const late = [seedOne('RunStarted', 0), ended, seedOne('StepStarted', 1, { stepId: 'load' })]
    expect(await keelson.importLog(textOf(late))).toMatchObject({ added: 3 })
    const again = [...late, { ...seedOne('StepFailed', 3, { stepId: 'load' }) }]
    expect(await problemsOf(keelson.importLog(textOf(again)))).toMatchObject([
      { code: 'INVALID_TRANSITION', at: { line: 4 } },
    ])
  })

  it('out of the order of its numbers is refused; gaps are not [EVT-14]', async () => {
    await using keelson = await openHere()
    const numbered = (...numbers: readonly number[]) =>
      textOf(liveLog().map((one, index) => ({ ...one, runSeq: numbers[index] })))
    expect(await problemsOf(keelson.importLog(numbered(1, 2, 5, 4, 6, 7)))).toMatchObject([
      { code: 'SCHEMA_VALIDATION_FAILED', message: 'runSeq 4 stands after 5', at: { line: 4 } },
    ])
    expect(await keelson.importLog(numbered(1, 2, 5, 6, 8, 9))).toMatchObject({ added: 6 })
  })

  it('made of the samples that the contracts print is refused: their keys are no digests, their ids no UUIDs [X-13]', async () => {
    await using keelson = await openHere()
    const samples = [
      { idempotencyKey: `${'a'.repeat(64)}` },
      { idempotencyKey: `${keyOf('RUN', 1, 'RunStarted')}ab` },
      { eventId: 'evt_01HQZX' },
    ]
    for (const sample of samples) {
      const problems = await problemsOf(keelson.importLog(textOf([{ ...startedFlat(), ...sample }])))
      expect(problems, JSON.stringify(sample)).toMatchObject([{ code: 'SCHEMA_VALIDATION_FAILED', at: { line: 1 } }])
    }
    expect(await isEmpty(keelson)).toBe(true)
  })

  it('of a run that was started here is refused', async () => {
    await using keelson = await openHere()
    const run = await keelson.start(
      { plan: 'p', version: '1.0.0', steps: [{ id: 'w', wait: { for: '1ms' } }] },
      undefined,
      {
        runId: RUN_ID,
      },
    )
    await run.result()
    expect(await problemsOf(keelson.importLog(textOf(liveLog())))).toMatchObject([{ code: 'RUN_ALREADY_EXISTS' }])
  })
})

describe('a log of a later or another version', () => {
  it('is read as far as it is known: other types and fields are left out, and told [VER-03, X-12]', async () => {
    await using keelson = await openHere()
    const [first, ...rest] = liveLog()
    const future = [
      { ...first, region: 'eu' },
      { ...seedOne('StepTeleported', 1, { stepId: 'load' }), to: 'moon' },
      ...rest.map((one) =>
        one['eventType'] === 'StepCompleted' ? { ...one, payload: { durationMs: 12, rowsOut: 3 } } : one,
      ),
    ]
    expect(await keelson.importLog(textOf(future))).toEqual({
      runId: RUN_ID,
      status: 'RUNNING',
      added: 6,
      known: 0,
      mismatches: [],
      ignored: [{ line: 2, eventType: 'StepTeleported' }],
      leftOut: [
        { line: 1, fields: ['payload.region'] },
        { line: 6, fields: ['payload.rowsOut'] },
      ],
    })
  })

  it('has its keys by one formula: v2 is read behind its switch, which turns v1 off, and a run never mixes them [VER-06, X-02, X-90, IDM-06]', async () => {
    await using keelson = await openHere()
    const v2 = {
      ...seedOne('RunStarted', 0),
      runId: '0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a',
      planId: 'plan_abc',
      planVersion: '2',
      idempotencyKey: '204197f81e5dc1a8491d8e411c440a730c51a741cd48a74863d3e5c4c452640d',
    }
    expect(await problemsOf(keelson.importLog(textOf([v2])))).toMatchObject([{ code: 'SCHEMA_VALIDATION_FAILED' }])
    expect(await keelson.importLog(textOf([v2]), { keyVersion: 'v2' })).toMatchObject({ added: 1 })
    expect(await problemsOf(keelson.importLog(textOf(liveLog()), { keyVersion: 'v2' }))).toHaveLength(6)
    const run = await keelson.run(v2.runId)
    expect((await run.records())[0]?.decision.cause).toBe('import:v2')
    const v1 = { ...v2, idempotencyKey: sha256Of(`${v2.runId}|RUN|1|RunStarted|2`) }
    expect(await problemsOf(keelson.importLog(textOf([v1])))).toMatchObject([
      { message: expect.stringContaining('has keys of formula v2, not v1') },
    ])
    expect(await run.records()).toHaveLength(1)
  })

  it('tells an error in one of four shapes, and each becomes the same one [X-80, EVT-20]', async () => {
    const error = { code: 'TIMEOUT', retryable: true }
    const text = { message: 'took 31 s', stackTrace: 'at load' }
    const flat = { errorCode: 'TIMEOUT', errorMessage: 'took 31 s', retryable: true, stack: 'at load' }
    const failed = seedOne('StepFailed', 2, { stepId: 'load' })
    const shapes: readonly Fields[] = [
      { ...failed, payload: flat },
      { ...failed, payload: { error: { ...error, ...text } } },
      { ...failed, ...flat },
      { ...failed, error: { ...error, ...text } },
    ]
    const stored: unknown[] = []
    for (const shape of shapes) {
      await using keelson = await openHere()
      await keelson.importLog(textOf([...liveLog().slice(0, 2), shape]))
      const record = (await (await keelson.run(RUN_ID)).records())[2]
      stored.push({ payload: record?.payload, data: record?.data })
    }
    expect(stored[0]).toMatchObject({
      payload: { error: { ...error, errorClass: 'timeout' } },
      data: { errorText: text },
    })
    for (const one of stored) expect(one).toEqual(stored[0])
  })
})
