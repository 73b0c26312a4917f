/** Runs admitted for later, as a program does it: queued until somebody starts them, or delayed until their time. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { isWhole } from '../../app/verify/verify-run.ts'
import { KeelsonError, loadPlan, openKeelson, type Keelson } from '../../main.ts'
import { servicesOf } from '../services-of.ts'

const PLAN = loadPlan('plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: f }\n')
const opened: Keelson[] = []
const folders: string[] = []

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  for (const one of folders.splice(0)) rmSync(one, { recursive: true })
})

async function open(directory: string, calls: string[] | undefined): Promise<Keelson> {
  const f = (_: unknown, { runId }: { readonly runId: string }): void => void calls?.push(runId)
  const keelson = await openKeelson({ directory, adopt: false, ...(calls === undefined ? {} : { steps: { f } }) })
  opened.push(keelson)
  return keelson
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'keelson-queue-'))
  folders.push(made)
  return made
}

const codeOf = (error: unknown): string => (error instanceof KeelsonError ? error.code : String(error))
const typesOf = async (keelson: Keelson, runId: string): Promise<readonly string[]> =>
  (await (await keelson.run(runId)).records()).map(({ eventType }) => eventType)

describe('a run with queue: true', () => {
  it('is on record as queued and not started, needs no functions here, and nobody drives it [BPQ-03, EVT-03]', async () => {
    const calls: string[] = []
    const place = folder()
    const front = await open(place, undefined)
    const { runId, row } = await front.start(PLAN, {}, { queue: true })
    expect(row).toMatchObject({ status: 'PENDING' })
    expect(row.lease).toBeUndefined()
    expect(await typesOf(front, runId)).toEqual(['RunQueued'])
    const direct = await (await open(place, calls)).start(PLAN)
    expect(await typesOf(front, direct.runId)).not.toContain('RunQueued')
  })

  it('is started once, whoever asks at once, and driven by who started it [BPQ-05]', async () => {
    const place = folder()
    const calls: string[] = []
    const [front, one, other] = [await open(place, undefined), await open(place, calls), await open(place, calls)]
    const ids: string[] = []
    for (let index = 0; index < 50; index += 1) ids.push((await front.start(PLAN, {}, { queue: true })).runId)
    const answers = (await Promise.all([one.queue.start(), other.queue.start()])).flat()
    const started = answers.filter(({ status }) => status === 'STARTED').map(({ runId }) => runId)
    expect([...started].sort()).toEqual([...ids].sort())
    expect(answers.filter(({ status }) => status === 'FAILED')).toEqual([])
    for (const runId of ids) expect((await (await one.run(runId)).result()).status).toBe('COMPLETED')
    expect([...calls].sort()).toEqual([...ids].sort())
    expect(await one.queue.start()).toEqual([])
  })

  it('stays queued where its functions are missing; runIds and limit choose among several', async () => {
    const place = folder()
    const calls: string[] = []
    const [front, worker] = [await open(place, undefined), await open(place, calls)]
    const [first, second, third] = [
      await front.start(PLAN, {}, { queue: true }),
      await front.start(PLAN, {}, { queue: true }),
      await front.start(PLAN, {}, { queue: true }),
    ]
    const failed = { status: 'FAILED', error: 'NO_HANDLER' }
    expect(await front.queue.start({ limit: 1 })).toEqual([{ runId: first.runId, ...failed }])
    expect(await worker.queue.start({ runIds: [third.runId] })).toEqual([{ runId: third.runId, status: 'STARTED' }])
    expect(await worker.queue.start({ limit: 1 })).toEqual([{ runId: first.runId, status: 'STARTED' }])
    expect((await third.result()).status).toBe('COMPLETED')
    expect((await first.result()).status).toBe('COMPLETED')
    expect((await front.run(second.runId)).row.status).toBe('PENDING')
  })

  it('starts and ends whatever was signalled to it while it waited, where it was signalled and elsewhere [BPQ-05]', async () => {
    for (const [type, payload] of [
      ['UPDATE_PARAMS', { params: { n: 1 }, reason: 'better' }],
      ['PAUSE', {}],
    ] as const)
      for (const isElsewhere of [false, true]) {
        const place = folder()
        const calls: string[] = []
        const f = (_: unknown, { runId }: { readonly runId: string }): void => void calls.push(runId)
        const engines = await Promise.all([1, 2].map(() => openKeelson({ directory: place, steps: { f } })))
        opened.push(...engines)
        const [front, other] = engines as [Keelson, Keelson]
        const run = await front.start(PLAN, {}, { queue: true })
        await run.signal(type, payload).catch((refused: unknown) => expect(codeOf(refused)).toBe('RUN_NOT_RUNNING'))
        expect((await front.run(run.runId)).row.lease).toBeUndefined()
        const starter = isElsewhere ? other : front
        expect(await starter.queue.start()).toEqual([{ runId: run.runId, status: 'STARTED' }])
        expect((await (await starter.run(run.runId)).result()).status).toBe('COMPLETED')
        expect(calls).toEqual([run.runId])
      }
  })

  it('starts and ends also where this process had taken it up before [BPQ-05]', async () => {
    const calls: string[] = []
    const f = (_: unknown, { runId }: { readonly runId: string }): void => void calls.push(runId)
    const keelson = await openKeelson({ directory: folder(), steps: { f } })
    opened.push(keelson)
    const run = await keelson.start(PLAN, {}, { queue: true })
    await keelson.adopt(run.runId)
    expect(await keelson.queue.start()).toEqual([{ runId: run.runId, status: 'STARTED' }])
    expect((await run.result()).status).toBe('COMPLETED')
    expect(calls).toEqual([run.runId])
  })
})

it('a run that was cancelled in the queue ends there: no step of it starts', async () => {
  const calls: string[] = []
  const keelson = await open(folder(), calls)
  const handle = await keelson.start(PLAN, {}, { queue: true })
  await handle.signal('CANCEL', { reason: 'no longer wanted' })
  expect(await keelson.queue.start()).toEqual([{ runId: handle.runId, status: 'SKIPPED', ended: 'CANCELLED' }])
  expect((await handle.result()).status).toBe('CANCELLED')
  expect(await typesOf(keelson, handle.runId)).not.toContain('RunStarted')
  expect(calls).toEqual([])
})

describe('a run with notBefore', () => {
  it('is queued until then, and started by who drives it', async () => {
    const keelson = await open(folder(), [])
    const at = Date.now() + 300
    const handle = await keelson.start(PLAN, {}, { notBefore: new Date(at) })
    expect(handle.row.status).toBe('PENDING')
    expect(await keelson.queue.start()).toEqual([{ runId: handle.runId, status: 'SKIPPED' }])
    expect((await handle.result()).status).toBe('COMPLETED')
    const started = (await handle.records()).find(({ eventType }) => eventType === 'RunStarted')
    expect(Date.parse(started?.emittedAt ?? '')).toBeGreaterThanOrEqual(at)
  })
})

describe('a run with queue: true and autoApprove: false', () => {
  const WAITS = { queue: true, autoApprove: false } as const

  it('waits for somebody who approves it, who is on record, and is then started like any other', async () => {
    const calls: string[] = []
    const keelson = await open(folder(), calls)
    const handle = await keelson.start(PLAN, {}, { ...WAITS, actorId: 'bo' })
    const { runId } = handle
    expect(handle.row).toMatchObject({ status: 'PENDING', substatus: 'WAITING_APPROVAL' })
    expect(await keelson.queue.start()).toEqual([{ runId, status: 'SKIPPED' }])
    expect(await keelson.queue.approve(runId, { actorId: 'ada' })).toEqual({ runId, status: 'APPROVED' })
    expect((await handle.records()).map(({ eventType }) => eventType)).toEqual(['RunQueued', 'RunApproved'])
    expect((await handle.records())[1]?.payload).toEqual({ approvedBy: 'ada' })
    expect((await keelson.run(runId)).row.lease).toBeUndefined()
    expect(await keelson.queue.start()).toEqual([{ runId, status: 'STARTED' }])
    expect((await handle.result()).status).toBe('COMPLETED')
    expect(calls).toEqual([runId])
    expect(isWhole(await keelson.maintenance.verify(handle.row))).toBe(true)
  })

  it('ends before it began when somebody rejects it, with the reason on record', async () => {
    const calls: string[] = []
    const keelson = await open(folder(), calls)
    const handle = await keelson.start(PLAN, {}, WAITS)
    const { runId } = handle
    const reason = 'too dear'
    expect(await keelson.queue.reject(runId, { actorId: 'ada', reason })).toEqual({ runId, status: 'CANCELLED' })
    const records = await handle.records()
    expect(records.map(({ eventType }) => eventType)).toEqual(['RunQueued', 'SignalAccepted', 'RunCancelled'])
    expect(records[1]).toMatchObject({ payload: { actorId: 'ada' }, data: { signalPayload: { reason } } })
    expect(await keelson.queue.start()).toEqual([])
    expect(calls).toEqual([])
    expect(isWhole(await keelson.maintenance.verify(handle.row))).toBe(true)
  })

  it('is approved once, whoever says so at once, and a run that does not wait is refused', async () => {
    const place = folder()
    const [one, other] = [await open(place, []), await open(place, [])]
    const { runId } = await one.start(PLAN, {}, WAITS)
    const both = [one.queue.approve(runId, { actorId: 'ada' }), other.queue.approve(runId, { actorId: 'bo' })]
    await Promise.all(both.map((each) => each.catch((error: unknown) => expect(codeOf(error)).toBe('RUN_NOT_WAITING'))))
    expect((await typesOf(one, runId)).filter((type) => type === 'RunApproved')).toHaveLength(1)
    for (const word of [one.queue.approve(runId), other.queue.reject(runId)])
      await expect(word).rejects.toMatchObject({ code: 'RUN_NOT_WAITING' })
    await expect(one.queue.approve('no-such-run')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  })

  it('is taken by who holds the run, where somebody does', async () => {
    const keelson = await open(folder(), [])
    const { runId, row } = await keelson.start(PLAN, {}, WAITS)
    const { store, clock } = servicesOf(keelson)
    await store.acquireLease(row.runKey, 'another', clock.now(), clock.now() + 60_000)
    expect(await keelson.queue.approve(runId)).toEqual({ runId, status: 'PENDING' })
    await store.releaseLease(row.runKey, 'another')
    expect(await keelson.queue.start()).toEqual([{ runId, status: 'STARTED' }])
  })

  it('has no instant of its own, and needs the queue', async () => {
    const keelson = await open(folder(), [])
    for (const options of [{ autoApprove: false }, { ...WAITS, notBefore: Date.now() }])
      await expect(keelson.start(PLAN, {}, options)).rejects.toMatchObject({ code: 'USAGE' })
    const { runId } = await keelson.start(PLAN, {}, WAITS)
    await expect(keelson.queue.approve(runId, { actorId: '' })).rejects.toMatchObject({ code: 'USAGE' })
  })
})
