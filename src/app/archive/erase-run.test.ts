/** Erasure: values that may be personal are removed, their record stays, and the chain still verifies. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { receiptBook, receiptKeys, temporaryFolder } from '../../../test/fixtures/receipt-book.ts'
import { World, type Behaviour } from '../../../test/fixtures/virtual-world.ts'
import { localArtifacts } from '../../adapters/artifacts/local.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { eraseRun } from './erase-run.ts'
import { forkRun } from '../start/fork-run.ts'
import { LOCAL_PRINCIPAL } from '../principal.ts'
import { isWhole, verifyRun } from '../verify/verify-run.ts'

const PLAN = 'steps: [{ id: a, run: f }]\noutput: { name: "${steps.a.output.name}" }'
const SECRET = 'Ana Almeida'

it('deletes the artifacts no other run of the tenant holds; a fork goes on holding what it took over [P-34]', async () => {
  const folder = await temporaryFolder()
  const artifacts = localArtifacts(folder, systemRandom)
  const world = new World()
  const make: Behaviour = ({ context }) => context.artifacts.put(SECRET, { kind: 'text' })
  const broken = (): never => {
    throw new Error('no')
  }
  const process = world.process('one', { script: { f: make, g: broken }, services: { artifacts } })
  const plan = 'steps: [{ id: a, run: f }, { id: b, run: g, retry: { maxAttempts: 1 } }]'
  const started = [await process.start(plan), await process.start(plan)]
  await expect.poll(() => started.every((key) => world.hasEnded(key))).toBe(true)
  const [first = 0, second = 0] = started
  const bytes = { uri: `artifact:sha256:${createHash('sha256').update(SECRET).digest('hex')}` }
  const keys = await receiptKeys()
  const erase = (runKey: number) => eraseRun(process.services, process.advancer, { runKey, reason: 'asked for', keys })
  const copies = async (): Promise<number> =>
    (await readdir(folder, { recursive: true })).filter((name) => /[0-9a-f]{64}$/.test(name)).length
  const fork = await forkRun(process.services, process.advancer, {
    row: world.row(first),
    principal: LOCAL_PRINCIPAL,
    engine: { engineType: 'embedded', maxInFlight: 10 },
  })
  await erase(first)
  await erase(second)
  expect(new TextDecoder().decode(await artifacts.get(fork.row, bytes))).toBe(SECRET)
  await artifacts.drop(fork.row)
  expect(await copies()).toBe(0)
})

async function endedRun() {
  const world = new World()
  const process = world.process('one', { script: { f: () => ({ name: SECRET }) } })
  const key = await process.start(PLAN, { input: { who: SECRET } })
  await world.runUntil(() => world.hasEnded(key))
  const book = receiptBook(await temporaryFolder())
  const request = { runKey: key, reason: 'asked for', actorId: 'u1', keys: book.keys }
  const erase = () => eraseRun(process.services, process.advancer, request)
  const stored = (): string =>
    JSON.stringify((world.disk.runs[key - 1]?.events ?? []).map(({ record, data }) => [record, data]))
  return { world, process, key, book, request, erase, stored }
}

it('deletes every value of an ended run, records it, and leaves a chain that verifies [P-34]', async () => {
  const { world, process, key, book, erase, stored } = await endedRun()
  expect(stored()).toContain(SECRET)
  const head = world.row(key).nextSeq - 1
  expect(await erase()).toEqual({ erasedUpTo: head, recorded: true })
  expect(stored()).not.toContain(SECRET)
  expect(world.records(key).at(-1)).toMatchObject({
    eventType: 'ErasureRecorded',
    payload: { erasedUpTo: head, reason: 'asked for', actorId: 'u1' },
  })
  const proof = await verifyRun(process.store, world.row(key), book)
  expect(isWhole(proof)).toBe(true)
  expect(proof.chain.erased.length).toBeGreaterThan(0)
  expect(world.row(key).status).toBe('COMPLETED')
})

it('broken off between the record and the deletion, it is finished by asking again, and recorded once [P-34]', async () => {
  const { world, process, key, request, erase, stored } = await endedRun()
  const store = { ...process.store, eraseData: () => Promise.reject(new Error('power cut')) }
  const broken = eraseRun({ ...process.services, store }, process.advancer, request)
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
  const erasing = eraseRun(process.services, process.advancer, {
    runKey: key,
    reason: 'asked for',
    keys: await receiptKeys(),
  })
  await expect(erasing).rejects.toMatchObject({ code: 'RUN_NOT_TERMINAL' })
  expect(world.disk.runs[key - 1]?.events.length).toBe(before)
})
