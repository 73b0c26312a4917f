/** Where the documents that Keelson follows disagree, what it settled on for those who read: plans, logs, secrets and the feed. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { KeelsonError, loadPlan, openKeelson, type StepContext } from '../../src/main.ts'
import { secretsOf } from '../fixtures/known-secrets.ts'
import { testFolder } from '../fixtures/folder.ts'
import { rewritten } from '../fixtures/rewritten-log.ts'
import { until } from '../fixtures/until.ts'
import { dropTriggers, rawLog, setRawLog } from '../fixtures/raw-log.ts'

const ONE = loadPlan('plan: one\nversion: 1.0.0\nsteps: [{ id: a, run: f }]')

function refusedPlan(text: string): readonly unknown[] {
  try {
    loadPlan(text)
  } catch (error) {
    if (error instanceof KeelsonError) return error.problems.map(({ code, pointer }) => [code, pointer])
    throw error
  }
  return []
}

/** A field that no version knows stands in the payload and the envelope of the event; the chain fits again. */
function addUnknownFields(directory: string, eventType: string): void {
  const database = new DatabaseSync(join(directory, 'keelson.db'))
  dropTriggers(database)
  const events = rawLog(database)
  const at = events.find((one) => one.eventType === eventType)?.runSeq ?? 0
  const later = rewritten(events, at, (record) => ({
    ...record,
    lane: 7,
    payload: { ...(record['payload'] as object), lane: 7 },
  }))
  setRawLog(database, later)
  database.prepare('UPDATE runs SET head_hash = ?').run(later.at(-1)?.chainHash ?? new Uint8Array(32))
  database.close()
}

describe('a field that nobody knows', () => {
  it('is refused in a plan and in its steps, and passed over in an event [X-93]', async () => {
    expect(refusedPlan('plan: p\nversion: 1.0.0\nlane: 7\nsteps: [{ id: a, run: f }]')).toEqual([
      ['PLAN_UNKNOWN_FIELD', '/lane'],
    ])
    expect(refusedPlan('plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f, lane: 7 }]')).toEqual([
      ['INVALID_STEP_SCHEMA', '/steps/0/lane'],
    ])
    const directory = testFolder()
    const first = await openKeelson({ directory, steps: { f: () => ({ n: 1 }) } })
    const { runId } = await first.start(ONE)
    await (await first.run(runId)).result()
    const before = await (await first.run(runId)).snapshot()
    await first.close()
    addUnknownFields(directory, 'StepCompleted')
    await using second = await openKeelson({ directory })
    const run = await second.run(runId)
    expect(await run.snapshot()).toEqual(before)
    const completed = (await run.records()).find(({ eventType }) => eventType === 'StepCompleted')
    expect(completed).toMatchObject({ lane: 7, payload: { lane: 7 } })
  })
})

describe('a secret', () => {
  it('is named by secret://… or by { secretId, version }, and asked for with project and run beside tenant and environment [X-82]', async () => {
    const secrets = secretsOf((ref) => `value of ${ref}`)
    const { asked } = secrets
    const seen: unknown[] = []
    const steps = { f: (input: unknown, context: StepContext) => void seen.push([input, context.secrets['key']]) }
    await using keelson = await openKeelson({ directory: ':memory:', tenantId: 'acme', secrets, steps })
    const run = await keelson.start(
      loadPlan(`plan: s
version: 1.0.0
steps: [{ id: a, run: f, with: { token: { secretId: payments/token, version: "7" } }, secrets: { key: "secret://team/key" } }]`),
    )
    expect((await run.result()).status).toBe('COMPLETED')
    const scope = { tenantId: 'acme', environmentId: 'local', projectId: 'default', runId: run.runId }
    expect(asked).toEqual([{ refs: ['secret://team/key'], scope }])
    expect(seen).toEqual([[{ token: { secretId: 'payments/token', version: '7' } }, 'value of secret://team/key']])
  })
})

describe('a subscriber', () => {
  it('is told of every event once it comes, though nobody was told when it was committed: the log is the queue [X-30]', async () => {
    const directory = testFolder()
    const first = await openKeelson({ directory, steps: { f: () => 1 } })
    const { runId } = await first.start(ONE)
    await (await first.run(runId)).result()
    await first.close()
    await using second = await openKeelson({ directory, steps: { f: () => 1 } })
    const told: (readonly [string, string, number])[] = []
    let isBroken = true
    second.subscribe(
      'audit',
      ({ runId: of, record, attempts }) => {
        if (isBroken && record.runSeq === 3) {
          isBroken = false
          throw new Error('the listener is away')
        }
        told.push([of, record.eventType, attempts])
      },
      { pollMs: 20, onProblem: () => undefined },
    )
    await until(() => told.length === 5)
    expect(told).toEqual([
      [runId, 'RunApproved', 0],
      [runId, 'RunStarted', 0],
      [runId, 'StepStarted', 1],
      [runId, 'StepCompleted', 0],
      [runId, 'RunCompleted', 0],
    ])
  })
})
