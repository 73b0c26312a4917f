/** How many signals somebody may send in a minute, to the very number: a person, and all persons of a tenant together. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { newRun } from '../../testing/store/run-fixtures.ts'
import { commitOne, creation, manualClock, rowOf, type ManualClock } from '../../testing/store/store-case.ts'
import { refuseFlood } from './signal-rate.ts'

interface Flooded {
  readonly clock: ManualClock
  readonly store: RunStore
  readonly row: RunRow
  /** The code and the words of the refusal; undefined where it is taken. */
  readonly send: (actorId: string, to?: RunRow, signalId?: string) => Promise<unknown>
  /** So many that are all taken. */
  readonly sendMany: (count: number, actorId: string, to?: RunRow) => Promise<void>
}

async function runOf(store: RunStore, tenantId: string): Promise<RunRow> {
  const result = await commitOne(store, creation(newRun({ runId: `of-${tenantId}`, tenantId })))
  return rowOf(store, result.kind === 'committed' ? result.runKey : 0)
}

async function flooded(): Promise<Flooded> {
  const clock = manualClock()
  const store = openMemoryStore({ clock })
  const row = await runOf(store, 'acme')
  let sent = 0
  const send: Flooded['send'] = async (actorId, to = row, signalId = `signal-${(sent += 1)}`) => {
    const ask = async () => ({ allowed: true, policyDecisionId: 'p' })
    const sender = { actorId, actorRole: 'Operator', allowed: false, ask }
    return refuseFlood({ store, clock }, to, signalId, sender).then(
      () => undefined,
      ({ code, message }) => `${code}: ${message}`,
    )
  }
  const sendMany: Flooded['sendMany'] = async (count, actorId, to) => {
    for (let n = 0; n < count; n += 1) expect(await send(actorId, to)).toBeUndefined()
  }
  return { clock, store, row, send, sendMany }
}

it('takes 300 signals of a person within a minute and not one more, and those of others all the same [SIG-10]', async () => {
  const { clock, send, sendMany } = await flooded()
  await sendMany(300, 'ana')
  expect(await send('ana')).toContain('SIGNAL_RATE_EXCEEDED: ana has sent 300 signals within a minute')
  expect(await send('bob')).toBeUndefined()
  clock.advance(59_999)
  expect(await send('ana')).toContain('SIGNAL_RATE_EXCEEDED')
  clock.advance(1)
  expect(await send('ana')).toBeUndefined()
})

it('takes 1,200 signals of a tenant within a minute and not one more, and those of another all the same [SIG-10]', async () => {
  const { clock, store, send, sendMany } = await flooded()
  for (const actorId of ['ana', 'bob', 'cem', 'dan']) await sendMany(300, actorId)
  expect(await send('eve')).toContain('SIGNAL_RATE_EXCEEDED: the tenant has sent 1200 signals within a minute')
  const other = await runOf(store, 'other')
  await sendMany(300, 'eve', other)
  clock.advance(60_000)
  expect(await send('eve')).toBeUndefined()
})

it('a repeat of a signal that was taken is no further one, whatever was sent since [SIG-10]', async () => {
  const { store, row, send, sendMany } = await flooded()
  await store.insertInbox(row, { inboxId: 'signal:first', kind: 'signal', body: '{}' })
  await sendMany(300, 'ana')
  expect(await send('ana', row, 'first')).toBeUndefined()
  expect(await send('ana', row, 'second')).toContain('SIGNAL_RATE_EXCEEDED')
})
