/** Where the documents that Keelson follows disagree, the log shows what it settled on: keys, numbers, order and shapes of events. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { textOf } from '../../scripts/repository.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { refusal } from '../fixtures/refusal.ts'
import { until } from '../fixtures/until.ts'

const ONE = loadPlan('plan: one\nversion: 1.0.0\nsteps: [{ id: a, run: f }]')
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const never = (): Promise<never> => new Promise(() => undefined)

/** The run `crashed`: its step was at work when its first driver ended, and a second one carried it out again. */
async function takenOver(directory: string): Promise<Keelson> {
  let isAtWork = false
  const hangs = () => {
    isAtWork = true
    return never()
  }
  const first = await openKeelson({ directory, steps: { f: hangs } })
  await first.start(ONE, {}, { runId: 'crashed' })
  await until(() => isAtWork)
  await first.close()
  const second = await openKeelson({ directory, pollMs: 20, steps: { f: () => 1 } })
  await (await second.adopt('crashed')).result()
  return second
}

describe('the key of an event', () => {
  it('is that of the published vectors: RUN where there is no step, bare bars and no spaces [X-03, X-04]', async () => {
    const plan = `plan: orders
version: 1.2.0
steps: [{ id: model.orders, run: f, retry: { maxAttempts: 2, initialBackoffMs: 1 } }]`
    const steps = { f: () => Promise.reject(new Error('no')) }
    await using keelson = await openKeelson({ directory: ':memory:', steps })
    const run = await keelson.start(loadPlan(plan), {}, { runId: 'run-001' })
    await run.result()
    const keys = (await run.records()).map((one) => [one.eventType, one.logicalAttemptId, one.idempotencyKey])
    expect(keys).toEqual(
      expect.arrayContaining([
        ['RunStarted', 1, 'd219f09c191299aed8f136206aac54aba08233611a71d86470eb60174fb086b4'],
        ['StepStarted', 1, '6c99484df8a52a1dc3f2533b796f7257c11f57149d3fe3277d4c7ab98433d033'],
        ['StepFailed', 2, '4f18c2cf80d85cdea73fac0533dd58b1eb5d3acc92b6c13d6b445c821122c1e4'],
        ['RunFailed', 1, 'ca371c53bc82cae11e9cacc286e8c769b06048e86714a8b1d79125cc37d04564'],
      ]),
    )
  })

  it('leaves the engine attempt out, which is 2 after a driver ended, and 1 before it [X-05, X-15]', async () => {
    await using keelson = await takenOver(testFolder())
    const run = await keelson.run('crashed')
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
    const records = await run.records()
    expect(records.map((one) => [one.eventType, one.logicalAttemptId, one.engineAttemptId])).toEqual([
      ['RunApproved', 1, 1],
      ['RunStarted', 1, 1],
      ['StepStarted', 1, 1],
      ['StepCompleted', 1, 2],
      ['RunCompleted', 1, 2],
    ])
    expect(records.slice(2).map((one) => one.idempotencyKey)).toEqual([
      sha256('crashed|a|1|StepStarted|1.0.0'),
      sha256('crashed|a|1|StepCompleted|1.0.0'),
      sha256('crashed|RUN|1|RunCompleted|1.0.0'),
    ])
  })
})

describe('an event', () => {
  it('has one schema without what only the store knows and one with it; the first refuses it, the second asks for it [X-11]', async () => {
    await using keelson = await openKeelson({ directory: ':memory:', steps: { f: () => ({ n: 1 }) } })
    const run = await keelson.start(ONE)
    await run.result()
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    const schemaOf = (name: string) => ajv.compile(JSON.parse(textOf(`schemas/events/${name}.json`)) as object)
    for (const one of await run.records()) {
      const [write, record] = [schemaOf(`${one.eventType}.write`), schemaOf(`${one.eventType}.record`)]
      const { runSeq, persistedAt, decision, chainHash, dataHash: _hash, salt: _salt, ...written } = { ...one }
      expect([one.eventType, write(written), record(one)]).toEqual([one.eventType, true, true])
      for (const [name, value] of Object.entries({ runSeq, persistedAt, decision, chainHash })) {
        expect([name, write({ ...written, [name]: value })]).toEqual([name, false])
        expect([name, record({ ...one, [name]: undefined })]).toEqual([name, false])
      }
    }
  })

  it('has an id of version 4 of its own, and keeps it though the answer to its commit was lost [X-84]', async () => {
    const inner = openMemoryStore({ clock: { now: () => Date.now() } })
    const sent: string[] = []
    let isLost = false
    const store = new Proxy(inner, {
      get: (target, name, receiver) => {
        if (name !== 'commit') return Reflect.get(target, name, receiver) as unknown
        return async (batch: Parameters<typeof inner.commit>[0]) => {
          const answer = await target.commit(batch)
          const ends = batch.flatMap(({ events }) => events).filter(({ eventType }) => eventType === 'StepCompleted')
          sent.push(...ends.map(({ record }) => String((JSON.parse(record) as { eventId: unknown }).eventId)))
          if (ends.length === 0 || isLost) return answer
          isLost = true
          throw Object.assign(new Error('the connection broke'), { code: 'STORE_UNAVAILABLE' })
        }
      },
    })
    let calls = 0
    const steps = { f: () => (calls += 1) }
    await using keelson = await openKeelson({ store, keysDirectory: testFolder(), pollMs: 20, steps })
    const run = await keelson.start(ONE)
    expect((await run.result()).status).toBe('COMPLETED')
    const ids = (await run.records()).map(({ eventType, eventId }) => [eventType, String(eventId)] as const)
    for (const [, id] of ids) expect(id).toMatch(UUID_V4)
    expect(new Set(ids.map(([, id]) => id)).size).toBe(ids.length)
    expect(ids.filter(([eventType]) => eventType === 'StepCompleted')).toEqual([['StepCompleted', sent[0]]])
    expect([calls, isLost]).toEqual([1, true])
  })

  it('is ordered by its number though the clock was set back; its stored time is the clock’s [X-91, X-92]', async () => {
    let now = Date.parse('2030-01-01T12:00:00.000Z')
    const store = openMemoryStore({ clock: { now: () => (now -= 60_000) } })
    await using keelson = await openKeelson({ store, keysDirectory: testFolder(), steps: { f: () => 1 } })
    const run = await keelson.start(ONE)
    expect((await run.result()).status).toBe('COMPLETED')
    const records = await run.records()
    expect(records.map(({ runSeq }) => runSeq)).toEqual([1, 2, 3, 4, 5])
    const stored = records.map(({ persistedAt }) => Date.parse(String(persistedAt)))
    expect(stored[0]).toBeGreaterThan(stored[4] ?? 0)
    expect(stored.toSorted((one, other) => other - one)).toEqual(stored)
    expect((await run.snapshot()).steps.map(({ stepId, status }) => [stepId, status])).toEqual([['a', 'SUCCESS']])
  })
})

describe('the id of a run', () => {
  it('is a UUID of version 4, or any text of 1 to 255 characters without a bar that its start gives [X-14]', async () => {
    await using keelson = await openKeelson({ directory: ':memory:', steps: { f: () => 1 } })
    expect((await keelson.start(ONE)).runId).toMatch(UUID_V4)
    for (const runId of ['run_1', 'order 7', 'x'.repeat(255), 'ж'.repeat(255), '🚢'.repeat(255)])
      expect((await keelson.start(ONE, {}, { runId })).runId).toBe(runId)
    for (const [runId, code] of [
      ['', 'SCHEMA_VALIDATION_FAILED'],
      ['a|b', 'SCHEMA_VALIDATION_FAILED'],
      ['x'.repeat(256), 'VALUE_TOO_LARGE'],
      ['🚢'.repeat(256), 'VALUE_TOO_LARGE'],
    ] as const)
      expect([runId, (await refusal(keelson.start(ONE, {}, { runId }))).code]).toEqual([runId, code])
  })
})

describe('a start', () => {
  it('is on record with the first decision about a verified plan: what is only admitted, or has an altered plan, has not started [X-34]', async () => {
    const directory = testFolder()
    const steps = { f: () => 1, g: () => 2 }
    const first = await openKeelson({ directory, steps })
    const { runId } = await first.start(ONE, {}, { queue: true })
    await first.close()
    const database = new DatabaseSync(join(directory, 'keelson.db'))
    for (const { name } of database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all())
      database.exec(`DROP TRIGGER "${String(name)}"`)
    const alter = (from: string, to: string) =>
      database.exec(`UPDATE plans SET text = replace(text, '"run":"${from}"', '"run":"${to}"')`)
    alter('f', 'g')
    const typesOf = async (run: RunHandle) => (await run.records()).map(({ eventType }) => eventType)
    await using second = await openKeelson({ directory, steps })
    const run = await second.run(runId)
    expect(await typesOf(run)).toEqual(['RunQueued'])
    expect(await second.queue.start()).toEqual([{ runId, status: 'FAILED', error: 'PLAN_INTEGRITY_VALIDATION_FAILED' }])
    expect(await typesOf(run)).toEqual(['RunQueued'])
    alter('g', 'f')
    database.close()
    await second.queue.start()
    await run.result()
    expect((await typesOf(run)).slice(0, 4)).toEqual(['RunQueued', 'RunApproved', 'RunStarted', 'StepStarted'])
  })
})
