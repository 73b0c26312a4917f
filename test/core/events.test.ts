/** Events from outside on their whole way: sent, kept, delivered to the waits for their name and key, recorded once. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { sendEvent, type EventAnswer, type EventRequest } from '../../src/app/steer/send-event.ts'
import { explainSlot } from '../../src/app/views/explain-slot.ts'
import { isWhole } from '../../src/app/verify/verify-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { awaitsEvent } from '../../src/core/run/state/event-waits.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { refusal } from '../fixtures/refusal.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'

const PAID = `steps: [{ id: w, wait: { forEvent: paid, key: '\${input.id}' } }, { id: b, run: f }]`
const FOR_A = { input: { id: 'A' } }

const send = (process: Process, event: EventRequest): Promise<EventAnswer> =>
  sendEvent(process, LOCAL_PRINCIPAL.tenantId, event)

function one(): { world: World; process: Process } {
  const world = new World()
  return { world, process: world.process('only', { script: { f: () => null } }) }
}

describe('a step that waits for an event', () => {
  it('has its data as output, and the log says which event it was [P-54]', async () => {
    const { world, process } = one()
    const key = await process.start(PAID, FOR_A)
    await world.advanceBy(10)
    const sentAt = new Date(world.time.now()).toISOString()
    expect(await send(process, { name: 'paid', key: 'A', data: { n: 5 }, id: 'e1' })).toMatchObject({ waiting: 1 })
    await world.advanceBy(10)
    const [started, done] = world.records(key).filter(({ stepId }) => stepId === 'w')
    expect(started?.payload).toMatchObject({ forEvent: 'paid' })
    expect(started?.data).toEqual({ facts: { eventKey: 'A' } })
    expect(done?.payload?.['receivedEvent']).toEqual({ id: 'e1', sentAt })
    expect(done?.data).toEqual({ result: { n: 5 } })
    expect(done?.decision.cause).toBe('event:e1')
    expect(world.row(key).status).toBe('COMPLETED')
  })

  it('is told at once of an event that was kept for it, without a poll [P-54]', async () => {
    const { world, process } = one()
    await send(process, { name: 'paid', key: 'A' })
    const key = await process.start(PAID, FOR_A)
    await world.advanceBy(1)
    expect(world.row(key).status).toBe('COMPLETED')
  })

  it('shares no event with another wait of its run, and each event ends one of them [P-54]', async () => {
    const { world, process } = one()
    const waits = `steps:
  - { id: a, dependsOn: [], wait: { forEvent: paid, key: A } }
  - { id: b, dependsOn: [], wait: { forEvent: paid, key: A } }`
    const key = await process.start(waits)
    await send(process, { name: 'paid', key: 'A', data: 1, id: 'e1' })
    await world.advanceBy(5000)
    expect(world.log(key, 'StepCompleted')).toEqual(['StepCompleted a#1'])
    await send(process, { name: 'paid', key: 'A', data: 1, id: 'e1' })
    await world.advanceBy(5000)
    expect(world.log(key, 'StepCompleted')).toEqual(['StepCompleted a#1'])
    await send(process, { name: 'paid', key: 'A', data: 2, id: 'e2' })
    await world.advanceBy(5000)
    expect(world.log(key, 'StepCompleted')).toEqual(['StepCompleted a#1', 'StepCompleted b#1'])
  })

  it('takes no event that ended a wait of its run before, however many came since [P-54]', async () => {
    const { world, process } = one()
    const wait = (id: string, after: string): string =>
      `  - { id: ${id}, dependsOn: [${after}], wait: { forEvent: paid, key: A } }`
    const key = await process.start(`steps:\n${[wait('a', ''), wait('b', 'a'), wait('c', 'b')].join('\n')}`)
    for (const id of ['e1', 'e2']) {
      await send(process, { name: 'paid', key: 'A', id })
      await world.advanceBy(5000)
    }
    const { state } = await process.advancer.current(key)
    const mayEnd = (eventId: string): boolean => awaitsEvent(state, { slot: 'c', attempt: 1, eventId })
    expect(['e1', 'e2', 'e3'].map(mayEnd)).toEqual([false, false, true])
  })

  it('goes on waiting after an event that does not match, or over which the condition cannot be evaluated [P-54]', async () => {
    const { world, process } = one()
    const key = await process.start(
      `steps: [{ id: w, wait: { forEvent: paid, match: "contains(event.data.tags, 'vip') && event.data.n > input.least" } }]`,
      { input: { least: 10 } },
    )
    for (const data of [null, 7, { tags: 5, n: 99 }, { tags: ['vip'], n: 10 }])
      await send(process, { name: 'paid', data })
    await world.advanceBy(5000)
    expect(world.log(key, 'StepCompleted', 'StepFailed')).toEqual([])
    await send(process, { name: 'paid', data: { tags: ['vip'], n: 11 } })
    await world.advanceBy(5000)
    expect(world.log(key, 'StepCompleted')).toEqual(['StepCompleted w#1'])
    expect(
      world.records(key).find(({ stepId, eventType }) => stepId === 'w' && eventType === 'StepCompleted')?.data,
    ).toEqual({
      facts: { match: true },
      result: { tags: ['vip'], n: 11 },
    })
  })

  it('fails with EVENT_TIMEOUT after its time, not after another, and is not tried again [P-54]', async () => {
    const { world, process } = one()
    const key = await process.start(
      `steps: [{ id: w, wait: { forEvent: paid, timeout: 7d }, retry: { maxAttempts: 5 } }]`,
    )
    await world.advanceBy(7 * 24 * 3_600_000 - 1000)
    expect(world.row(key).status).toBe('RUNNING')
    await world.advanceBy(2000)
    expect(world.log(key, 'StepStarted', 'StepFailed')).toEqual(['StepStarted w#1', 'StepFailed w#1'])
    const failed = world.records(key).find(({ eventType }) => eventType === 'StepFailed')
    expect(failed?.payload?.['error']).toMatchObject({ code: 'EVENT_TIMEOUT', retryable: false, category: 'timeout' })
  })

  it('waits again when a person has it tried again, and takes an event that the first attempt had no use for [P-54]', async () => {
    const { world, process } = one()
    const key = await process.start(
      `policy: { onFailure: hold }\nsteps: [{ id: w, wait: { forEvent: paid, match: 'event.data.n > input.least', timeoutMs: 1000 } }]`,
      { input: { least: 10 } },
    )
    await send(process, { name: 'paid', data: { n: 5 }, id: 'small' })
    await world.advanceBy(2000)
    expect(world.log(key, 'StepFailed')).toEqual(['StepFailed w#1'])
    await process.signal(key, 'UPDATE_PARAMS', { params: { least: 1 }, reason: 'a discount' })
    await process.signal(key, 'RETRY_STEP', { stepId: 'w' })
    await world.advanceBy(500)
    expect(world.log(key, 'StepCompleted')).toEqual(['StepCompleted w#2'])
  })

  it.each([
    ['null', null],
    ['a list', [1]],
    ['nothing', undefined],
    ['an empty text', ''],
    ['a text that is too long', 'x'.repeat(LIMITS.eventKeyBytes + 1)],
  ])('fails at once when its key is %s: else it would share its events with strangers [P-54]', async (_what, id) => {
    const { world, process } = one()
    const key = await process.start(PAID, { input: id === undefined ? {} : { id } })
    await world.advanceBy(10)
    expect(world.row(key).status).toBe('FAILED')
    expect(world.records(key).find(({ eventType }) => eventType === 'StepFailed')?.payload).toMatchObject({
      error: { code: 'INPUT_INVALID' },
    })
  })

  it('says by `why` which event and key it waits for, since when and until when [P-54]', async () => {
    const { world, process } = one()
    const key = await process.start(
      `steps: [{ id: w, wait: { forEvent: paid, key: 'o-\${input.id}', match: 'event.data', timeoutMs: 9000 } }]`,
      FOR_A,
    )
    await world.advanceBy(1)
    const since = world.time.now() - 1
    const run = await process.advancer.current(key)
    expect(await explainSlot(process.store, run, 'w', world.time.now())).toEqual([
      { kind: 'waiting-for-event', name: 'paid', key: 'o-A', match: 'event.data', since, expiresAt: since + 9000 },
    ])
  })
})

describe('whoever sends an event', () => {
  it.each<[string, EventRequest]>([
    ['no name', { name: '' }],
    ['a name with a blank', { name: 'a b' }],
    ['a name that is too long', { name: 'x'.repeat(256) }],
    ['a key that is too long', { name: 'a', key: 'é'.repeat(LIMITS.eventKeyBytes / 2 + 1) }],
    ['a key with a zero', { name: 'a', key: 'a\0' }],
    ['an empty id', { name: 'a', id: '' }],
    ['an id that is too long', { name: 'a', id: 'x'.repeat(LIMITS.eventIdBytes + 1) }],
    ['data that is no JSON', { name: 'a', data: 1n }],
    ['data that is too large', { name: 'a', data: 'x'.repeat(LIMITS.eventBytes - 1) }],
    ['a secret in plain text', { name: 'a', data: { password: 'hunter2' } }],
    ['no time to live', { name: 'a', ttlMs: 0 }],
    ['a time to live that is too long', { name: 'a', ttlMs: LIMITS.eventTtlMsMax + 1 }],
  ])('with %s is refused, and nothing is kept [P-54]', async (_what, event) => {
    const { world, process } = one()
    expect((await refusal(send(process, event))).code).toBe('EVENT_INVALID')
    expect(world.disk.sentEvents.size).toBe(0)
  })

  it('may fill what the limits allow, and no more: others wait until one has expired [P-54]', async () => {
    const { world, process } = one()
    await send(process, { name: 'a', data: 'x'.repeat(LIMITS.eventBytes - 2) })
    for (let sent = 1; sent < LIMITS.eventsPerKey; sent += 1) await send(process, { name: 'a', ttlMs: 1000 })
    expect((await refusal(send(process, { name: 'a' }))).code).toBe('EVENTS_FULL')
    expect((await send(process, { name: 'a', key: 'another' })).kind).toBe('sent')
    await world.advanceBy(1001)
    expect((await send(process, { name: 'a' })).kind).toBe('sent')
  })
})

describe('a store on disk', () => {
  let directory = ''
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  it('is whole with waits, kept events, received ones and facts of their conditions [P-54]', async () => {
    directory = mkdtempSync(join(tmpdir(), 'keelson-events-'))
    await using keelson = await openKeelson({ directory, pollMs: 20, steps: { f: () => 1 } })
    const plan = loadPlan(`plan: order
version: 1.0.0
steps: [{ id: w, wait: { forEvent: paid, key: '\${input.id}', match: "event.key == input.id && event.data.n > \`1\`" }, capture: [{ destination: paid }] }]
output: '\${context.paid.n}'`)
    const waiting = await keelson.start(plan, { id: 'B' })
    const run = await keelson.start(plan, { id: 'A' })
    await keelson.send({ name: 'paid', key: 'A', data: { n: 1 } })
    await keelson.send({ name: 'paid', key: 'A', data: { n: 2 }, id: 'e1' })
    expect(await run.result()).toMatchObject({ status: 'COMPLETED', output: 2 })
    for (const { row } of [run, waiting]) {
      const proof = await keelson.maintenance.verify(row)
      expect(isWhole(proof)).toBe(true)
    }
    expect((await keelson.maintenance.verifyStore()).whole).toBe(true)
  })
})
