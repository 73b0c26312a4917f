/** What runs read at the beginning of a turn: one statement for all that ask at once, each with its own answer. */
import { expect, it } from 'vitest'
import type { Session } from './session.ts'
import { turnReads } from './turn-reads.ts'

const pause = { part: 1, tenant_id: 'a', pause_id: 'p1', scope: 'tenant', reason: null, active: true }
const inboxRow = {
  part: 2,
  run_key: '7',
  inbox_id: 'signal:1',
  kind: 'signal',
  body: '{}',
  inserted_at: '5',
  consumed_seq: null,
}

function sessionOf(rows: readonly Record<string, unknown>[], isAtHand = false) {
  const asked: (readonly unknown[])[] = []
  const session: Session = {
    query: async (_sql, values = []) => {
      // A connection is ready a moment later: everything asked until then is included.
      if (!isAtHand) await Promise.resolve()
      asked.push(typeof values === 'function' ? values() : values)
      return rows as Awaited<ReturnType<Session['query']>>
    },
  }
  return { asked, turns: turnReads(session) }
}

it('asks for the pauses of tenants and the inbox rows of runs at once, and gives each asker its own', async () => {
  const { asked, turns } = sessionOf([pause, { ...pause, pause_id: 'p2', tenant_id: '', scope: 'fleet' }, inboxRow])
  const answers = await Promise.all([turns.pauses('a'), turns.pauses('b'), turns.inboxRows(7), turns.inboxRows(8)])
  expect(answers.map((list) => list.map((one) => ('pauseId' in one ? one.pauseId : one.inboxId)))).toEqual([
    ['p1', 'p2'],
    ['p2'],
    ['signal:1'],
    [],
  ])
  expect(asked.length).toBe(1)
})

it('asks once for all of a moment although a connection is at hand, and not for who comes later', async () => {
  const { asked, turns } = sessionOf([inboxRow], true)
  const first = turns.inboxRows(7)
  await Promise.resolve()
  expect(await Promise.all([first, turns.inboxRows(8)])).toEqual([[expect.anything()], []])
  expect(asked.length).toBe(1)
  await turns.inboxRows(7)
  expect(asked.length).toBe(2)
})

it('says that there is nothing when there is nothing', async () => {
  const { turns } = sessionOf([])
  expect(await Promise.all([turns.pauses('a'), turns.inboxRows(7)])).toEqual([[], []])
})
