/**
 * After a restore: new epochs for all runs, old processes refused, and irreversible steps that may have happened since
 * the backup never repeated.
 */
import { describe, expect, it } from 'vitest'
import { receiptBook, receiptsIn, temporaryFolder } from '../../../test/fixtures/receipt-book.ts'
import { World } from '../../../test/fixtures/virtual-world.ts'
import { receiptFollower } from '../receipts/issue.ts'
import { recoverRuns, witnessRestore } from './recover-runs.ts'
import { hexOf } from '../log/sha256.ts'
import { isWhole, verifyRun } from '../verify/verify-run.ts'

const PLAN = `policy: { onFailure: failFast }
steps:
  - { id: pay, run: pay, effect: irreversible, dependsOn: [] }
  - { id: mail, run: mail, dependsOn: [] }
  - { id: after, run: f, dependsOn: [mail] }`

/** A run with an irreversible and an ordinary step in flight; the backup lacks the claim of the irreversible one. */
async function restored() {
  const world = new World()
  const old = world.process('old', { script: { pay: 'hold', mail: 'hold' } })
  const key = await old.start(PLAN)
  await world.runUntil(() => world.calls.length === 2)
  world.disk.runs[key - 1]?.claims.clear()
  const recovering = world.process('recovering')
  return { world, old, key, recovering }
}

describe('after a restore', () => {
  it('an irreversible attempt in flight counts as begun and holds its run; others run again, flagged [P-28]', async () => {
    const { world, old, key, recovering } = await restored()
    old.kill()
    const { runId } = world.row(key)
    const answer = await recoverRuns(recovering.services, recovering.advancer)
    expect(answer).toMatchObject({ live: 1, adopted: [{ runId }], indeterminate: [{ runId, slot: 'pay', attempt: 1 }] })
    recovering.kill()
    world.process('new', { adoptOthers: true })
    await world.runUntil(() => world.called('mail').length === 2)
    await world.advanceBy(3_600_000)
    expect(world.called('pay')).toEqual(['pay#1/1'])
    expect(world.calls.filter(({ name }) => name === 'mail').map(({ context }) => context.engineAttempt > 1)).toEqual([
      false,
      true,
    ])
    const failed = world.records(key).find(({ eventType }) => eventType === 'StepFailed')
    expect(failed).toMatchObject({ stepId: 'pay', payload: { error: { code: 'INDETERMINATE' }, final: true } })
    expect(world.row(key)).toMatchObject({ status: 'RUNNING', substatus: 'embedded/HOLDING' })
  })

  it('a process that still runs under the old epoch is refused and records nothing [P-27]', async () => {
    const { world, old, key, recovering } = await restored()
    const before = world.row(key).epoch
    await recoverRuns(recovering.services, recovering.advancer)
    expect(world.row(key).epoch).toBeGreaterThan(before)
    const log = world.log(key)
    for (const call of world.calls) call.resolve({ done: true })
    await world.runUntil(() => old.lost.length === 1)
    expect(old.lost).toMatchObject([{ runKey: key, problem: { code: 'RUN_EPOCH_STALE' } }])
    expect(world.log(key)).toEqual(log)
  })

  it('broken off half-way, it is done again, and the run is held all the same [P-28]', async () => {
    const { world, old, key, recovering } = await restored()
    old.kill()
    const store = { ...recovering.store, acquireLease: () => Promise.reject(new Error('power cut')) }
    await expect(recoverRuns({ ...recovering.services, store }, recovering.advancer)).rejects.toThrow('power cut')
    await recoverRuns(recovering.services, recovering.advancer)
    expect(world.log(key, 'StepFailed')).toEqual(['StepFailed pay#1'])
    expect(world.row(key).lease).toBeUndefined()
  })

  it('every run in flight is found, however many there are, and runs that wait are left alone', async () => {
    const world = new World()
    const old = world.process('old', { script: { f: 'hold' } })
    for (let run = 0; run < 450; run += 1) await old.create('steps: [{ id: a, run: f }]')
    const waiting = await old.start('steps: [{ id: w, wait: { forMs: 3600000 } }]')
    old.kill()
    const recovering = world.process('recovering')
    const log = world.log(waiting)
    const { live, adopted } = await recoverRuns(recovering.services, recovering.advancer)
    expect([live, adopted.length]).toEqual([451, 450])
    expect(world.log(waiting)).toEqual(log)
    expect(world.disk.runs.every(({ row }) => row.lease === undefined)).toBe(true)
  })

  it('receipts issued after the backup do not accuse a run that went another way since', async () => {
    const { world, old, key, recovering } = await restored()
    old.kill()
    const book = receiptBook(await temporaryFolder())
    await receiptFollower(recovering.services, book).drain()
    const { tenantId, runId, nextSeq, headHash } = world.row(key)
    await recoverRuns(recovering.services, recovering.advancer)
    await witnessRestore(recovering.store, 'local', book, world.time.now())
    expect((await receiptsIn(book)).at(-1)?.body).toMatchObject({
      kind: 'restore',
      heads: [{ tenantId, runId, chainHash: hexOf(world.row(key).headHash) }],
    })
    expect(hexOf(headHash)).not.toBe(hexOf(world.row(key).headHash))
    expect(world.row(key).nextSeq).toBeGreaterThan(nextSeq)
    expect(isWhole(await verifyRun(recovering.store, world.row(key), book))).toBe(true)
  })
})
