/** Facts of the audit log on their way to the store: side by side where it takes them so, each stored once, none lost. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import { manualClock } from '../../testing/store/store-case.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import { AuditBook } from './audit-book.ts'
import type { AuditFact } from './audit-log.ts'

const key = { keyId: 'k1', secret: new Uint8Array(32).fill(1) }
const factOf = (target: string): AuditFact => ({ type: 'STATE_MUTATION', actorId: 'ana', action: 'RUN_START', target })

interface Held {
  readonly size: number
  go(): void
  fail(): void
}

/** A store whose appends wait until the test lets them go, in the order in which they came. */
function stage(auditsAtOnce?: number) {
  const clock = manualClock()
  const store = openMemoryStore({ clock })
  const held: Held[] = []
  const log: AuditLog = {
    ...store,
    ...(auditsAtOnce === undefined ? {} : { auditsAtOnce }),
    appendAudit: async (tenantId, entries, seal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      held.push({ size: entries.length, go: resolve, fail: () => reject(new Error('the disk is full')) })
      await promise
      return store.appendAudit(tenantId, entries, seal)
    },
  }
  const gathered: (() => void)[] = []
  const told: unknown[] = []
  const book = new AuditBook({
    writer: { log, keys: { current: async () => key, find: async () => key }, clock },
    timers: {
      defer: (work: () => void) => void setImmediate(work),
      after: (_ms: number, work: () => void) => (gathered.push(work), () => undefined),
    } as never,
    tell: (thrown) => told.push(thrown),
  })
  /** Lets everything happen that waits for no store; what was gathering has gathered. */
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 8; turns += 1) {
      for (const end of gathered.splice(0)) end()
      await nextTurn()
    }
  }
  const targets = async (): Promise<readonly string[]> =>
    (await store.readAudit('acme', 0, 100)).map(({ record }) => (JSON.parse(record) as { target: string }).target)
  return { book, held, told, settle, targets }
}

it.each([
  [undefined, 1],
  [1, 1],
  [2, 2],
  [3, 3],
])('a store that says %s has so many writes of a tenant on their way: %s [AUT-12]', async (auditsAtOnce, most) => {
  const { book, held, settle, targets } = stage(auditsAtOnce)
  const noted: Promise<void>[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    noted.push(book.note('acme', factOf(name)))
    await settle()
  }
  expect(held).toHaveLength(most)
  for (let at = 0; at < held.length; at += 1) {
    held[at]?.go()
    await settle()
  }
  await Promise.all(noted)
  // What could not leave went together as soon as there was room.
  expect(held.map(({ size }) => size)).toEqual([...Array.from({ length: most }, () => 1), 5 - most])
  expect(await targets()).toEqual(['a', 'b', 'c', 'd', 'e'])
})

it('what one write could not store is stored with the next, and the other write is not concerned [AUT-12]', async () => {
  const { book, held, told, settle, targets } = stage(2)
  const first = book.note('acme', factOf('a'))
  await settle()
  const second = book.note('acme', factOf('b'))
  await settle()
  expect(held).toHaveLength(2)
  held[1]?.go()
  held[0]?.fail()
  await Promise.all([first, second])
  expect(told).toEqual([new Error('the disk is full')])
  expect(await targets()).toEqual(['b'])
  const flushed = book.flush()
  await settle()
  held[2]?.go()
  await flushed
  expect(await targets()).toEqual(['b', 'a'])
  expect(held).toHaveLength(3)
})

it('a flush ends when everything that was on its way is stored', async () => {
  const { book, held, settle, targets } = stage(2)
  void book.note('acme', factOf('a'))
  await settle()
  void book.note('acme', factOf('b'))
  await settle()
  let isFlushed = false
  const flushed = book.flush().then(() => (isFlushed = true))
  held[1]?.go()
  await settle()
  expect(isFlushed).toBe(false)
  held[0]?.go()
  await flushed
  expect((await targets()).toSorted()).toEqual(['a', 'b'])
})
