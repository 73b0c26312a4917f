/** Every text that is handed in has a limit of bytes: at the limit it is taken, beyond it nothing is written. */
import { expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'

const PLAN = loadPlan('plan: p\nversion: 1.0.0\nsteps: [{ id: a, manual: { title: Look } }]')

/** As many characters of two bytes as fit, or one more. */
const cyrillic = (bytes: number, more = 0): string => 'я'.repeat(Math.floor(bytes / 2) + more)

const seqOf = async (run: RunHandle): Promise<number> => (await run.records()).length

async function waiting(keelson: Keelson): Promise<{ readonly run: RunHandle; readonly token: string }> {
  const run = await keelson.start(PLAN)
  for (;;) {
    const [task] = await run.tasks()
    if (task !== undefined) return { run, token: task.token }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

it.each(['requestId', 'actorId'])(
  'a start with a %s of more bytes than a name may have starts nothing',
  async (name) => {
    await using keelson = await openKeelson({ directory: ':memory:', steps: {} })
    const refused = keelson.start(PLAN, {}, { [name]: cyrillic(LIMITS.nameBytes, 1) })
    await expect(refused).rejects.toMatchObject({
      code: 'VALUE_TOO_LARGE',
      message: expect.stringContaining('has 256 bytes or more; at most 255 are allowed'),
    })
    const runs = []
    for await (const run of keelson.runs()) runs.push(run)
    expect(runs).toEqual([])
    expect((await keelson.start(PLAN, {}, { [name]: cyrillic(LIMITS.nameBytes) })).row.status).not.toBe('FAILED')
  },
)

it('a signal by an actor whose name is too long is not posted', async () => {
  await using keelson = await openKeelson({ directory: ':memory:', steps: {} })
  const { run } = await waiting(keelson)
  const before = await seqOf(run)
  const actorId = cyrillic(LIMITS.nameBytes, 1)
  await expect(run.signal('PAUSE', { reason: 'x' }, { actorId })).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
  await expect(run.pause(cyrillic(LIMITS.signalBytes))).rejects.toMatchObject({ code: 'SIGNAL_INVALID_PAYLOAD' })
  expect(await seqOf(run)).toBe(before)
})

it.each<[string, object]>([
  ['a name', { actorUserId: '中'.repeat(200) }],
  ['notes', { notes: '中'.repeat(6_000) }],
  ['one piece of evidence', { evidenceRefs: ['中'.repeat(200)] }],
  ['evidence', { evidenceRefs: Array.from({ length: LIMITS.evidenceRefs + 1 }, (_, at) => `e${at}`) }],
  ['a result', { result: 'x'.repeat(LIMITS.valueBytes - 1) }],
])('a completion with %s beyond its limit is refused whole, and the task stays open', async (_, given) => {
  await using keelson = await openKeelson({ directory: ':memory:', steps: {} })
  const { run, token } = await waiting(keelson)
  const completion = { completionToken: token, outcome: 'Succeeded' as const, actorUserId: 'ana' }
  const before = await seqOf(run)
  await expect(run.completeTask({ ...completion, ...given })).rejects.toMatchObject({ code: 'TASK_COMPLETION_INVALID' })
  expect([await seqOf(run), (await run.tasks()).length]).toEqual([before, 1])
})

it('a completion at every limit ends its task and sets no run aside', async () => {
  await using keelson = await openKeelson({ directory: ':memory:', steps: {} })
  const { run, token } = await waiting(keelson)
  const evidenceRefs = Array.from({ length: LIMITS.evidenceRefs }, (_, at) => `${'я'.repeat(126)}${100 + at}`)
  const result = 'x'.repeat(LIMITS.valueBytes - 2)
  const whole = {
    outcome: 'Succeeded' as const,
    actorUserId: 'я'.repeat(127),
    notes: 'я'.repeat(8_192),
    evidenceRefs,
    result,
  }
  await run.completeTask({ completionToken: token, ...whole })
  expect((await run.result()).status).toBe('COMPLETED')
})
