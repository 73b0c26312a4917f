/** Sending and waiting at the same moment, in two processes: whoever is first, each wait is told of its event exactly once. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import type { EventWaitRow } from '../../src/ports/events.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { creation, nextCommit } from '../../src/testing/store/store-case.ts'
import { startChild } from '../fixtures/child.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'

const CHILD = join(import.meta.dirname, 'event-child.ts')
const ROUNDS = 300
const PATIENCE_MS = 300_000

const wait = (slot: string, key: string): EventWaitRow => ({ slot, attempt: 1, name: 'e', key })

/** Opens each wait while the child sends its event: two waits of one run for each key, in two commits. */
async function race(store: RunStore, child: readonly string[]): Promise<void> {
  const sender = startChild(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    CHILD,
    ...child,
    'k',
    String(ROUNDS),
  ])
  if (sender.stdout === null) throw new Error('no output')
  await once(createInterface(sender.stdout), 'line')
  const exit = once(sender, 'exit')
  const keys: number[] = []
  for (let at = 0; at < ROUNDS; at += 1) {
    const opens = (slot: string) => ({ eventWaits: { opened: [wait(slot, `k${at}`)], closed: [] } })
    const made = await store.commit([creation(newRun({ runId: `r${at}` }), [{ eventType: 'RunStarted' }], opens('w'))])
    const [first] = made
    if (first?.kind !== 'committed') throw new Error(`not committed: ${JSON.stringify(first)}`)
    keys.push(first.runKey)
    const row = await store.getRun(first.runKey)
    if (row === undefined) throw new Error('no row')
    const [second] = await store.commit([nextCommit(row, [{ eventType: 'StepStarted', slot: 'v' }], opens('v'))])
    expect(second?.kind).toBe('committed')
  }
  expect(await exit).toEqual([0, null])
  for (const [at, runKey] of keys.entries()) {
    const told = (await store.readInbox(runKey)).map(({ inboxId }) => inboxId).sort()
    expect(told, `round ${at}`).toEqual([`event:k${at}:v:1`, `event:k${at}:w:1`])
  }
}

describe('sending and waiting at the same moment', () => {
  it('loses nothing and doubles nothing on SQLite, between processes [P-54]', { timeout: PATIENCE_MS }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-events-'))
    const path = join(folder, 'keelson.db')
    const store = await openSqliteStore({ path, clock: { now: () => Date.now() }, lockMs: 30_000 })
    try {
      await race(store, ['sqlite', path])
    } finally {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  describe('on PostgreSQL', () => {
    let server: PostgresServer
    let url = ''
    beforeAll(async () => {
      server = await startPostgres()
      url = await server.createDatabase('events')
    }, PATIENCE_MS)
    afterAll(() => server.stop())

    it(
      'loses nothing and doubles nothing on PostgreSQL, between processes [P-54]',
      { timeout: PATIENCE_MS },
      async () => {
        const store = await openPostgresStore({ connectionString: url })
        try {
          await race(store, ['postgres', url])
        } finally {
          await store.close()
        }
      },
    )

    it(
      'neither loses an event nor waits in a circle when many send and open the same key [P-54]',
      { timeout: PATIENCE_MS },
      async () => {
        const stores = await Promise.all([0, 1, 2].map(() => openPostgresStore({ connectionString: url })))
        const [one = stores[0], two = stores[0], three = stores[0]] = stores
        if (one === undefined || two === undefined || three === undefined) throw new Error('no store')
        try {
          for (let round = 0; round < 40; round += 1) {
            const key = `same${round}`
            const opening = (runId: string) => {
              const eventWaits = { opened: [wait('w', key), wait('x', key), wait('y', `${key}'`)], closed: [] }
              return creation(newRun({ runId: `${runId}-${round}` }), [{ eventType: 'RunStarted' }], { eventWaits })
            }
            const event = (id: string) => ({
              tenantId: 'tenant-a',
              eventId: `${id}${round}`,
              name: 'e',
              key,
              data: '1',
              ttlMs: 60_000,
            })
            const [made] = await Promise.all([
              one.commit([opening('a'), opening('b')]),
              two.sendEvent(event('p')),
              three.sendEvent(event('q')),
              two.commit([opening('c')]),
              three.sendEvent({ ...event('z'), key: `${key}'` }),
            ])
            for (const result of made) {
              if (result.kind !== 'committed') throw new Error(result.kind)
              const told = (await one.readInbox(result.runKey)).map(({ inboxId }) => inboxId).sort()
              const expected = ['p', 'q'].flatMap((id) => [`event:${id}${round}:w:1`, `event:${id}${round}:x:1`])
              expect(told).toEqual([...expected, `event:z${round}:y:1`])
            }
          }
        } finally {
          for (const store of stores) await store.close()
        }
      },
    )
  })
})
