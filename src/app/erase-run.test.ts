/** Erasure: what may be personal goes, the record of it stays, and the chain still verifies. */
import { expect, it } from 'vitest'
import { receiptBook, temporaryFolder } from '../../test/fixtures/receipt-book.ts'
import { World } from '../../test/fixtures/virtual-world.ts'
import { eraseRun } from './erase-run.ts'
import { isWhole, verifyRun } from './verify-run.ts'

const PLAN = 'steps: [{ id: a, run: f }]\noutput: { name: "${steps.a.output.name}" }'
const SECRET = 'Ana Almeida'

async function endedRun() {
  const world = new World()
  const process = world.process('one', { script: { f: () => ({ name: SECRET }) } })
  const key = await process.start(PLAN, { input: { who: SECRET } })
  await world.runUntil(() => world.hasEnded(key))
  const erase = () => eraseRun(process.services, process.advancer, { runKey: key, reason: 'asked for', actorId: 'u1' })
  const stored = (): string =>
    JSON.stringify((world.disk.runs[key - 1]?.events ?? []).map(({ record, data }) => [record, data]))
  return { world, process, key, erase, stored }
}

it('deletes every value of an ended run, records it, and leaves a chain that verifies [P-34]', async () => {
  const { world, process, key, erase, stored } = await endedRun()
  expect(stored()).toContain(SECRET)
  const head = world.row(key).nextSeq - 1
  expect(await erase()).toEqual({ erasedUpTo: head, recorded: true })
  expect(stored()).not.toContain(SECRET)
  expect(world.records(key).at(-1)).toMatchObject({
    eventType: 'ErasureRecorded',
    payload: { erasedUpTo: head, reason: 'asked for', actorId: 'u1' },
  })
  const proof = await verifyRun(process.store, world.row(key), receiptBook(await temporaryFolder()))
  expect(isWhole(proof)).toBe(true)
  expect(proof.chain.erased.length).toBeGreaterThan(0)
  expect(world.row(key).status).toBe('COMPLETED')
})

it('broken off between the record and the deletion, it is finished by asking again, and recorded once [P-34]', async () => {
  const { world, process, key, erase, stored } = await endedRun()
  const store = { ...process.store, eraseData: () => Promise.reject(new Error('power cut')) }
  const broken = eraseRun({ ...process.services, store }, process.advancer, { runKey: key, reason: 'asked for' })
  await expect(broken).rejects.toThrow('power cut')
  expect(stored()).toContain(SECRET)
  expect(await erase()).toMatchObject({ recorded: false })
  expect(await erase()).toMatchObject({ recorded: false })
  expect(stored()).not.toContain(SECRET)
  expect(world.log(key, 'ErasureRecorded')).toHaveLength(1)
})

it('what came after an erasure is erased by the next one [P-34]', async () => {
  const { world, process, key, erase, stored } = await endedRun()
  await erase()
  await process.signal(key, 'PAUSE', { reason: SECRET })
  await process.advancer.advance(key)
  expect(stored()).toContain(SECRET)
  expect(await erase()).toMatchObject({ recorded: true })
  expect(stored()).not.toContain(SECRET)
  expect(world.log(key, 'ErasureRecorded')).toEqual(['ErasureRecorded RUN#1', 'ErasureRecorded RUN#2'])
})

it('a run that has not ended is refused and keeps its data [P-34]', async () => {
  const world = new World()
  const process = world.process('one', { script: { f: 'hold' } })
  const key = await process.start(PLAN, { input: { who: SECRET } })
  const before = world.disk.runs[key - 1]?.events.length
  const erasing = eraseRun(process.services, process.advancer, { runKey: key, reason: 'asked for' })
  await expect(erasing).rejects.toMatchObject({ code: 'RUN_NOT_TERMINAL' })
  expect(world.disk.runs[key - 1]?.events.length).toBe(before)
})
