/**
 * Cases about events from outside (P-54): sent before, while or after a step waits for them, they reach each wait once, and
 * only the tenant's own.
 */
import assert from 'node:assert/strict'
import type { EventWaitChanges, EventWaitRow, NewEvent } from '../../ports/events.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { bootstrap, commitOne, nextCommit, rowOf, step, type StoreCase, type World } from './store-case.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const event = (eventId: string, changes: Partial<NewEvent> = {}): NewEvent => ({
  tenantId: 'tenant-a',
  eventId,
  name: 'order.paid',
  key: 'A-17',
  data: '{"amount":5}',
  ttlMs: DAY_MS,
  ...changes,
})

const wait = (slot: string, changes: Partial<EventWaitRow> = {}): EventWaitRow => ({
  slot,
  attempt: 1,
  name: 'order.paid',
  key: 'A-17',
  ...changes,
})

const opens = (...opened: readonly EventWaitRow[]): { eventWaits: EventWaitChanges } => ({
  eventWaits: { opened, closed: [] },
})

async function waiting(world: World, runId: string, ...waits: readonly EventWaitRow[]): Promise<RunRow> {
  return bootstrap(world, { runId }, [{ eventType: 'RunStarted' }], opens(...waits))
}

async function told(world: World, { runKey }: RunRow): Promise<readonly string[]> {
  const rows = await world.store.readInbox(runKey)
  for (const row of rows) assert.equal(row.kind, 'event')
  return rows.map(({ inboxId }) => inboxId)
}

async function sent(world: World, one: NewEvent): Promise<readonly number[]> {
  const answer = await world.store.sendEvent(one)
  assert.equal(answer.kind, 'sent')
  return answer.kind === 'sent' ? answer.runs : []
}

export const EVENT_CASES: readonly StoreCase[] = [
  {
    title:
      'an event reaches every run that waits for its name and key, once for each wait, with its data as sent [P-54]',
    run: async (world) => {
      const one = await waiting(world, 'r1', wait('w'), wait('x'))
      const two = await waiting(world, 'r2', wait('w', { attempt: 3 }))
      await waiting(world, 'r3', wait('w', { key: 'B' }), wait('v', { name: 'order.lost' }), wait('u', { key: '' }))
      assert.deepEqual(await sent(world, event('e1')), [one.runKey, two.runKey])
      assert.deepEqual(await told(world, one), ['event:e1:w:1', 'event:e1:x:1'])
      assert.deepEqual(await told(world, two), ['event:e1:w:3'])
      const [row] = await world.store.readInbox(two.runKey)
      const { sentAt, ...body } = JSON.parse(row?.body ?? '{}') as Record<string, unknown>
      const data = { amount: 5 }
      assert.deepEqual(body, { eventId: 'e1', name: 'order.paid', key: 'A-17', slot: 'w', attempt: 3, data })
      if (!world.ownClock) assert.equal(sentAt, world.clock.now())
      assert.ok(row?.body.endsWith(',"data":{"amount":5}}'))
    },
  },
  {
    title: 'an event that came first is found by the wait that is opened later, and by those of other runs too [P-54]',
    run: async (world) => {
      assert.deepEqual(await sent(world, event('e1')), [])
      assert.deepEqual(await sent(world, event('e2', { data: '"later"' })), [])
      const one = await waiting(world, 'r1', wait('w'))
      assert.deepEqual(await told(world, one), ['event:e1:w:1', 'event:e2:w:1'])
      assert.deepEqual(await told(world, await waiting(world, 'r2', wait('w'))), ['event:e1:w:1', 'event:e2:w:1'])
      const due = await world.store.dueRuns(world.clock.now(), 'somebody', 10)
      assert.equal(due.length, 2)
    },
  },
  {
    title: 'the next attempt of a wait is told of kept events again [P-54]',
    run: async (world) => {
      const row = await waiting(world, 'r1', wait('w'))
      await sent(world, event('e1'))
      const again: EventWaitChanges = { opened: [wait('w', { attempt: 2 })], closed: [{ slot: 'w', attempt: 1 }] }
      const consumed = [{ inboxId: 'event:e1:w:1', seq: row.nextSeq }]
      await commitOne(world.store, nextCommit(row, [step('StepStarted', 'w', 2)], { eventWaits: again, consumed }))
      assert.deepEqual(await told(world, row), ['event:e1:w:2'])
      assert.deepEqual(await world.store.readEventWaits(row.runKey), [wait('w', { attempt: 2 })])
    },
  },
  {
    title: 'a wait that was closed, or whose run has ended, is told nothing more [P-54]',
    run: async (world) => {
      const one = await waiting(world, 'r1', wait('w'), wait('x'))
      const two = await waiting(world, 'r2', wait('w'))
      const closing: EventWaitChanges = { opened: [], closed: [{ slot: 'w', attempt: 1 }] }
      await commitOne(world.store, nextCommit(one, [step('StepCompleted', 'w')], { eventWaits: closing }))
      const ending: EventWaitChanges = { opened: [], closed: 'all' }
      await commitOne(world.store, nextCommit(two, [step('StepFailed', 'w')], { eventWaits: ending }))
      assert.deepEqual(await sent(world, event('e1')), [one.runKey])
      assert.deepEqual(await told(world, one), ['event:e1:x:1'])
      assert.deepEqual(await told(world, two), [])
      assert.deepEqual(await world.store.readEventWaits(two.runKey), [])
    },
  },
  {
    title: 'a commit that loses opens no wait and is told nothing [P-54]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await sent(world, event('e1'))
      const stale = nextCommit({ ...row, epoch: row.epoch + 1 }, [step('StepStarted', 'w')], opens(wait('w')))
      assert.equal((await commitOne(world.store, stale)).kind, 'conflict')
      assert.deepEqual(await world.store.readEventWaits(row.runKey), [])
      assert.deepEqual(await told(world, row), [])
    },
  },
  {
    title: 'a repeat of an id is recognised; another name, key or data under it is a conflict [P-54]',
    run: async (world) => {
      const row = await waiting(world, 'r1', wait('w'))
      const first = await world.store.sendEvent(event('e1'))
      world.clock.advance(1000)
      const again = await world.store.sendEvent(event('e1', { ttlMs: 5 }))
      assert.deepEqual(again, { kind: 'duplicate', expiresAt: first.kind === 'sent' ? first.expiresAt : 0 })
      for (const other of [{ name: 'order.lost' }, { key: '' }, { data: '{"amount":6}' }])
        assert.deepEqual(await world.store.sendEvent(event('e1', other)), { kind: 'conflict' })
      assert.deepEqual(await told(world, row), ['event:e1:w:1'])
    },
  },
  {
    title: "another tenant's events and waits of the same name, key and id are none of this tenant's [P-54, STO-24]",
    run: async (world) => {
      const ours = await waiting(world, 'r1', wait('w'))
      const extras = opens(wait('w'))
      const theirs = await bootstrap(
        world,
        { runId: 'r1', tenantId: 'tenant-b' },
        [{ eventType: 'RunStarted' }],
        extras,
      )
      assert.deepEqual(await sent(world, event('e1', { tenantId: 'tenant-b' })), [theirs.runKey])
      assert.deepEqual(await told(world, ours), [])
      assert.deepEqual(await sent(world, event('e1', { data: '1' })), [ours.runKey])
      assert.deepEqual(await told(world, await waiting(world, 'r2', wait('w'))), ['event:e1:w:1'])
    },
  },
  {
    title: 'an event whose time is over reaches nobody, is purged, and its id may be used again [P-54]',
    run: async (world) => {
      if (world.ownClock) return
      await sent(world, event('e1', { ttlMs: 1000 }))
      await sent(world, event('e2', { ttlMs: 2000 }))
      assert.equal(await world.store.purgeEvents(10), 0)
      world.clock.advance(1000)
      const row = await waiting(world, 'r1', wait('w'))
      assert.deepEqual(await told(world, row), ['event:e2:w:1'])
      assert.deepEqual(await sent(world, event('e1', { data: '2' })), [row.runKey])
      world.clock.advance(1000)
      assert.equal(await world.store.purgeEvents(10), 1)
      assert.equal(await world.store.purgeEvents(10), 0)
    },
  },
  {
    title: 'a wait that is opened again stays one wait, and what it was told stays told once [P-54]',
    run: async (world) => {
      const row = await waiting(world, 'r1', wait('w'))
      await sent(world, event('e1'))
      const adopted = nextCommit(row, [], { ...opens(wait('w')), newEpoch: 2 })
      assert.equal((await commitOne(world.store, adopted)).kind, 'committed')
      assert.deepEqual(await told(world, row), ['event:e1:w:1'])
      assert.deepEqual(await world.store.readEventWaits(row.runKey), [wait('w')])
    },
  },
  {
    title:
      'erasing a run takes the data of the events it was told of; a repeat is still recognised, and nobody else gets it [P-54, P-34]',
    run: async (world) => {
      const row = await waiting(world, 'r1', wait('w'))
      await sent(world, event('e1'))
      await sent(world, event('e2', { key: 'B' }))
      const consumed = [{ inboxId: 'event:e1:w:1', seq: row.nextSeq }]
      const eventWaits: EventWaitChanges = { opened: [], closed: 'all' }
      await commitOne(world.store, nextCommit(row, [step('StepCompleted', 'w')], { consumed, eventWaits }))
      await world.store.eraseData(row.runKey, row.nextSeq)
      assert.equal((await world.store.sendEvent(event('e1'))).kind, 'duplicate')
      assert.equal((await world.store.sendEvent(event('e1', { data: 'null' }))).kind, 'conflict')
      assert.deepEqual(await told(world, await waiting(world, 'r2', wait('w'))), [])
      assert.deepEqual(await told(world, await waiting(world, 'r3', wait('w', { key: 'B' }))), ['event:e2:w:1'])
    },
  },
  {
    title: 'waits are told of in the order of their slots, whatever characters these and the ids have [P-54]',
    run: async (world) => {
      const odd = [wait('B'), wait('a'), wait('a[10]'), wait('a[2]')]
      const row = await waiting(world, 'r1', ...odd)
      await sent(world, event('e:1"\u2028\u00e9', { data: '"\u00e9\\n"' }))
      const bodies = (await world.store.readInbox(row.runKey)).map(({ body }) => JSON.parse(body) as { slot: string })
      assert.deepEqual(
        bodies.map(({ slot }) => slot),
        ['B', 'a', 'a[10]', 'a[2]'],
      )
      assert.deepEqual(bodies.map((body) => ({ ...body, slot: '', sentAt: 0 }))[0], {
        eventId: 'e:1"\u2028\u00e9',
        name: 'order.paid',
        key: 'A-17',
        slot: '',
        attempt: 1,
        sentAt: 0,
        data: '\u00e9\n',
      })
      assert.deepEqual((await rowOf(world.store, row.runKey)).runId, 'r1')
    },
  },
]
