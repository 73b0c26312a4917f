/** What strangers learn of a trigger by its time: they are refused after the same work, whether there is one at the address or not. */
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { countingStore } from '../../../test/fixtures/counting-store.ts'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { manualClock, START_MS } from '../../testing/store/store-case.ts'
import { aboutSecret } from './manage-triggers.ts'
import { receiveDelivery, type Receiving } from './receive-delivery.ts'
import { storedTrigger, type TriggerRecord } from './record.ts'
import { sealSecret } from './sealed-secret.ts'

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(1) }

async function world() {
  const { store, count, reset } = countingStore(openMemoryStore({ clock: manualClock() }))
  let found = 0
  const keys = { current: async () => KEY, find: async () => ((found += 1), KEY) }
  const secret = await sealSecret(keys, 'a secret of sixteen', aboutSecret('acme', 'push'), randomBytes)
  const made = { createdAt: START_MS, createdBy: 'ana', updatedAt: START_MS, updatedBy: 'ana' }
  const record: TriggerRecord = { definition: { planId: 'build', scheme: 'github' }, secret, ...made }
  const address = `tr_${'b'.repeat(32)}`
  await store.putTrigger(storedTrigger({ tenantId: 'acme', name: 'push', address, revision: 0, record }, record))
  const later: (() => Promise<void>)[] = []
  const receiving: Receiving = {
    store,
    keys,
    runs: {
      start: async () => expect.unreachable('a stranger starts nothing'),
      cancel: async () => expect.unreachable('and cancels nothing'),
    },
    bytes: randomBytes,
    now: START_MS,
    take: () => expect.unreachable('a stranger is not counted for a trigger'),
    tell: () => undefined,
    later: (work) => void later.push(work),
  }
  const refused = async (at: string): Promise<readonly [code: string, work: readonly number[]]> => {
    reset()
    found = 0
    const headers: Readonly<Record<string, string>> = {
      'x-github-delivery': 'd-1',
      'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
    }
    const delivery = { bytes: new Uint8Array(), body: () => ({}), header: (name: string) => headers[name] }
    const thrown: unknown = await receiveDelivery(receiving, at, delivery).catch((one: unknown) => one)
    const code = thrown instanceof KeelsonError ? thrown.code : String(thrown)
    return [code, [count('findTriggerAt'), count('findTenant'), found, count('noteDelivery')]]
  }
  return { store, later, refused, address }
}

it('a delivery that is not signed is refused after the same work, whether there is a trigger or not, and noted afterwards', async () => {
  const { store, later, refused, address } = await world()
  const unknown = `tr_${'a'.repeat(32)}`
  const work = [1, 1, 1, 0]
  for (const one of [unknown, address, unknown]) expect(await refused(one)).toEqual(['NOT_AUTHENTICATED', work])
  expect(await store.listDeliveries('acme', 'push', 10)).toEqual([])
  expect(later).toHaveLength(1)
  await later[0]?.()
  expect(await store.listDeliveries('acme', 'push', 10)).toHaveLength(1)
})
