/**
 * Somebody whose run was queued to wait for a person, and who wants it to run without that person's word: by a fork, a
 * RETRY_RUN, a fork of the fork, a part of its log, or with the approval that was given for another run.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'

const planOf = (name: string, steps: string) => loadPlan(`plan: ${name}\nversion: 1.0.0\nsteps: [${steps}]`)
const PAY = '{ id: pay, run: pay, effect: irreversible }'
const ONE = planOf('one', PAY)
const TWO = planOf('two', `{ id: look, run: look }, ${PAY}`)
const LATER = planOf('later', `${PAY}, { id: tell, run: tell }`)
const ASKS = { queue: true, autoApprove: false, actorId: 'ana' } as const
const ANA = { actorId: 'ana' }
const BEN = { actorId: 'ben' }
const REFUSED = { code: 'FORK_NEEDS_APPROVAL' }

let directory = ''
let keelson: Keelson
let paid = 0
let broken = new Set<string>()

beforeEach(async () => {
  directory = testFolder()
  paid = 0
  broken = new Set()
  const unless = (name: string) => {
    if (broken.has(name)) throw Object.assign(new Error('no'), { statusCode: 400 })
    return name
  }
  const pay = () => {
    paid += 1
    return unless('pay')
  }
  keelson = await openKeelson({
    directory,
    steps: { pay, look: () => unless('look'), tell: () => unless('tell') },
  })
})
afterEach(async () => {
  await keelson.close()
})

const statusOf = async ({ runId }: RunHandle) => (await keelson.run(runId)).row.status
const rejected = async (plan = ONE): Promise<RunHandle> => {
  const run = await keelson.start(plan, {}, ASKS)
  await keelson.queue.reject(run.runId, { ...BEN, reason: 'too dear' })
  return run
}
/** Approved by ben, and driven to its end. */
async function approved(plan: typeof ONE): Promise<RunHandle> {
  const run = await keelson.start(plan, {}, ASKS)
  await keelson.queue.approve(run.runId, BEN)
  await keelson.queue.start()
  await run.result()
  return run
}

async function waits(fork: RunHandle): Promise<void> {
  expect(await statusOf(fork)).toBe('PENDING')
  expect(await keelson.queue.start({ runIds: [fork.runId] })).toEqual([{ runId: fork.runId, status: 'SKIPPED' }])
  expect((await fork.records()).map(({ eventType }) => eventType)).toEqual(['RunQueued'])
}

describe('a run that nobody approved', () => {
  it('is not let go by a fork: that waits for approval like the run it is made from, and so does a fork of it [MAN-13]', async () => {
    const run = await rejected()
    expect(await keelson.previewFork(run.runId)).toMatchObject({ approval: 'waits', taken: [] })
    const fork = await keelson.fork(run.runId, ANA)
    await waits(fork)
    await keelson.queue.reject(fork.runId, BEN)
    const again = await keelson.fork(fork.runId, { ...ANA, repeatIrreversible: true })
    await waits(again)
    expect(paid).toBe(0)
    expect(await keelson.queue.approve(again.runId, BEN)).toEqual({ runId: again.runId, status: 'APPROVED' })
    await keelson.queue.start()
    expect(await again.result()).toMatchObject({ status: 'COMPLETED' })
    expect(paid).toBe(1)
    const { plan, sha256 } = ONE
    const report = verifyDecisions(await again.records(), { plan, graph: compileGraph(plan), sha256 })
    expect(report.differences).toEqual([])
  })

  it('nor by a fork from a step, from an event, after a cancel, or one that a signal asked for', async () => {
    const cancelled = await keelson.start(ONE, {}, ASKS)
    await cancelled.signal('CANCEL', { reason: 'no' })
    expect(await statusOf(cancelled)).toBe('CANCELLED')
    const run = await rejected()
    for (const fork of [
      await keelson.fork(cancelled.runId, ANA),
      await keelson.fork(run.runId, { ...ANA, from: 'pay' }),
      await keelson.fork(run.runId, { ...ANA, atSeq: 1 }),
      await keelson.fork(run.runId, { ...ANA, signalId: 's1' }),
    ])
      await waits(fork)
    expect(paid).toBe(0)
  })

  it('while one that was queued and needed nobody is forked as before', async () => {
    const run = await keelson.start(ONE, {}, { queue: true })
    await run.signal('CANCEL', { reason: 'no' })
    await keelson.queue.start()
    expect(await statusOf(run)).toBe('CANCELLED')
    expect(await (await keelson.fork(run.runId, ANA)).result()).toMatchObject({ status: 'COMPLETED' })
  })
})

describe('an approval in the queue is for one run', () => {
  it('that was cancelled before it began: a fork asks again', async () => {
    const run = await keelson.start(ONE, {}, ASKS)
    await keelson.queue.approve(run.runId, BEN)
    await run.signal('CANCEL', { reason: 'no' })
    await keelson.queue.start()
    await waits(await keelson.fork(run.runId, ANA))
  })

  it('that failed: a fork which pays asks again, or is refused where it would take over results', async () => {
    broken = new Set(['pay'])
    const one = await approved(ONE)
    const two = await approved(TWO)
    broken = new Set()
    const again = { ...ANA, from: 'pay', repeatIrreversible: true }
    await waits(await keelson.fork(one.runId, again))
    expect(await keelson.previewFork(two.runId, { from: 'pay' })).toMatchObject({ approval: 'refused' })
    await expect(keelson.fork(two.runId, again)).rejects.toMatchObject(REFUSED)
    expect(paid).toBe(2)
  })

  it('that paid and failed later: a fork goes on behind it, and a fork of that fork does not pay either', async () => {
    broken = new Set(['tell'])
    const run = await approved(LATER)
    const fork = await keelson.fork(run.runId, ANA)
    expect(await fork.result()).toMatchObject({ status: 'FAILED' })
    const again = { ...ANA, from: 'pay', repeatIrreversible: true }
    await waits(await keelson.fork(fork.runId, again))
    expect(paid).toBe(1)
  })
})
