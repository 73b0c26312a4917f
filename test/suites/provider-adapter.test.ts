/** The contract of an engine's adapter on every engine there is: embedded, mock, and Temporal on a real server. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { temporal } from '../../src/adapters/engines/temporal/engine.ts'
import { PROVIDER_ADAPTER_CASES } from './engine/provider-adapter-cases.ts'
import { adapterWorld, type OpenWorld } from '../fixtures/adapter-world.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'

let server: TemporalServer | undefined

const WORLDS: readonly (readonly [string, () => Promise<OpenWorld>])[] = [
  ['embedded', () => adapterWorld('embedded')],
  ['mock', () => adapterWorld('mock', { engine: 'mock' })],
  [
    'temporal',
    async () => {
      server = await startTemporal()
      return adapterWorld('temporal', { engine: temporal({ address: server.address }) })
    },
  ],
]

describe.each(WORLDS)('the adapter of %s', (_, open) => {
  let world: OpenWorld
  beforeAll(async () => {
    world = await open()
  }, 600_000)
  afterAll(async () => {
    await world?.close()
    await server?.stop()
  })

  for (const one of PROVIDER_ADAPTER_CASES) it(one.title, () => one.run(world))
})
