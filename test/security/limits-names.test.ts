/** Names that no store can keep, texts that are cut inside a character, lists that outgrow their event: refused whole, or cut whole. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { until } from '../fixtures/until.ts'
import { testFolder } from '../fixtures/folder.ts'
import { operationsOf } from '../fixtures/operations-of.ts'

const TASK = loadPlan('plan: task\nversion: 1.0.0\nsteps: [{ id: a, manual: { title: Look } }]')
const SHORT = loadPlan('plan: short\nversion: 1.0.0\nsteps: [{ id: a, run: echo }]')
const steps = { echo: (given: unknown) => given }
const opened = (): Promise<Keelson> => openKeelson({ directory: ':memory:', steps })

const UNKEEPABLE = [
  ['a NUL', 'a\0b'],
  ['the first half of a character', 'a\ud83d'],
  ['the second half of a character', '\ude00a'],
] as const

const all = async (keelson: Keelson): Promise<number> => (await keelson.list()).runs.length

async function waiting(keelson: Keelson): Promise<{ readonly run: RunHandle; readonly token: string }> {
  const run = await keelson.start(TASK)
  await until(async () => (await run.tasks()).length === 1)
  const [task] = await run.tasks()
  return { run, token: task?.token ?? '' }
}

describe.each(UNKEEPABLE)('%s in a name', (_, text) => {
  it.each(['runId', 'requestId', 'correlationId', 'actorId'])('starts nothing as %s', async (option) => {
    await using keelson = await opened()
    await expect(keelson.start(SHORT, {}, { [option]: text })).rejects.toMatchObject({ code: 'USAGE' })
    expect(await all(keelson)).toBe(0)
  })

  it('sends no signal, completes no task and subscribes nobody', async () => {
    await using keelson = await opened()
    const { run, token } = await waiting(keelson)
    const before = await run.records()
    await expect(run.signal('PAUSE', {}, { actorId: text })).rejects.toMatchObject({ code: 'USAGE' })
    await expect(run.signal(text)).rejects.toMatchObject({ code: 'USAGE' })
    const completion = { completionToken: token, outcome: 'Succeeded' as const, actorUserId: text }
    await expect(run.completeTask(completion)).rejects.toMatchObject({ code: 'TASK_COMPLETION_INVALID' })
    expect(() => keelson.subscribe(text, () => undefined)).toThrow(/^USAGE/)
    await expect(keelson.run(text)).rejects.toMatchObject({ code: 'USAGE' })
    expect([await run.records(), await run.trouble()]).toEqual([before, undefined])
  })
})

it('a name that is no text at all is refused as such', async () => {
  await using keelson = await opened()
  const options = { correlationId: 5 as unknown as string }
  await expect(keelson.start(SHORT, {}, options)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: "OPTION_INVALID: start: the option 'correlationId' must be a text, not 5",
  })
})

it.each([0, 1])(
  'a refusal whose text ends inside a character (%i before it) is recorded, and sets no run aside',
  async (lead) => {
    await using keelson = await opened()
    const { run } = await waiting(keelson)
    const field = 'x'.repeat(lead) + '😀'.repeat(2_000)
    await expect(run.signal('PAUSE', { [field]: 1 })).rejects.toMatchObject({ code: 'SIGNAL_INVALID_PAYLOAD' })
    const rejected = (await run.records()).find(({ eventType }) => eventType === 'SignalRejected')
    const reason = String(rejected?.payload?.['reason'])
    expect([reason.isWellFormed(), reason.length >= LIMITS.refusalChars - 1]).toEqual([true, true])
    expect(await run.trouble()).toBeUndefined()
  },
)

it('evidence of control characters, which JSON writes six times as long, is refused and the task stays open', async () => {
  await using keelson = await opened()
  const { run, token } = await waiting(keelson)
  const base = { completionToken: token, outcome: 'Succeeded' as const, actorUserId: 'ana' }
  const evidenceRefs = Array.from({ length: LIMITS.evidenceRefs }, () => '\u0001'.repeat(LIMITS.nameBytes))
  await expect(run.completeTask({ ...base, evidenceRefs })).rejects.toMatchObject({
    code: 'TASK_COMPLETION_INVALID',
    message: expect.stringContaining('evidenceRefs are larger than 32768 bytes as JSON'),
  })
  expect((await run.tasks()).length).toBe(1)
})

it.each(['Succeeded', 'Failed'] as const)(
  'notes of control characters at their limit are kept (%s)',
  async (outcome) => {
    await using keelson = await opened()
    const { run, token } = await waiting(keelson)
    const notes = '\u0001'.repeat(LIMITS.notesChars)
    await run.completeTask({ completionToken: token, outcome, actorUserId: 'ana', notes })
    expect((await run.result()).status).toBe(outcome === 'Succeeded' ? 'COMPLETED' : 'FAILED')
    expect((await run.records()).some(({ data }) => data?.['notes'] === notes)).toBe(true)
  },
)

it('what a lock allows is measured whole, and a longer one starts nothing', async () => {
  await using keelson = await opened()
  const programs = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => `${'p'.repeat(900)}${at}`)
  const locked = (names: readonly string[]) => ({ locked: { code: true, programs: names } })
  await expect(keelson.start(SHORT, {}, locked(programs(200)))).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
  const long = ['p'.repeat(LIMITS.lockNameChars + 1)]
  await expect(keelson.start(SHORT, {}, locked(long))).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
  expect(await all(keelson)).toBe(0)
  const run = await keelson.start(SHORT, {}, locked(programs(30)))
  expect((await run.result()).status).toBe('COMPLETED')
})

it('a run whose id has every byte it may have can be forked for a signal', async () => {
  await using keelson = await opened()
  const run = await keelson.start(SHORT, {}, { runId: 'r'.repeat(LIMITS.nameBytes) })
  await run.result()
  const fork = await keelson.fork(run.runId, { signalId: '7a1c8f4e-4b1c-4e0e-9d0a-111111111111' })
  expect((await fork.result()).status).toBe('COMPLETED')
})

it('what a stranger asks for is measured before it is kept in the audit trail', async () => {
  const folder = testFolder()
  await using keelson = await openKeelson({ directory: folder, steps })
  const operations = operationsOf(keelson)
  const actor = { userId: 'eve', roles: [], tenantId: 'other' }
  const long = 'x'.repeat(LIMITS.nameBytes + 1)
  const asked = [
    () => operations.getRunStatus(long, actor),
    () => operations.getRunStatus('r', { ...actor, userId: long }),
    () => operations.getRunStatus('r', { ...actor, sourceIp: long }),
    () => operations.cancelRun('r', { ...actor, tenantId: long }),
  ]
  for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
  await expect(operations.getRunStatus('r', actor)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const texts = files.map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'))
  expect(texts.filter((text) => text.includes(long))).toEqual([])
})
