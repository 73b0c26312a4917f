/** What every engine must make of a run: the embedded one on SQLite, the mock, and Temporal on a real server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { temporal } from '../../src/adapters/engines/temporal/engine.ts'
import { loadPlan, openKeelson, type OpenOptions } from '../../src/main.ts'
import { ENGINE_CORNER_CASES } from './engine/engine-corner-cases.ts'
import { ENGINE_EVENT_CASES } from './engine/engine-event-cases.ts'
import { ENGINE_FLOW_CASES } from './engine/engine-flow-cases.ts'
import { engineStage } from './engine/engine-stage.ts'
import { ENGINE_STEERING_CASES } from './engine/engine-steering-cases.ts'
import { ENGINE_NEEDS, eventsOf, type EngineWorld } from './engine/engine-suite.ts'
import { until } from '../fixtures/until.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { servicesOf } from '../../src/library/services-of.ts'

interface OpenWorld extends EngineWorld {
  close(): Promise<void>
}

async function engineWorld(options: OpenOptions): Promise<OpenWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-engine-'))
  const stage = engineStage()
  const { resources, secrets } = ENGINE_NEEDS
  const keelson = await openKeelson({
    directory,
    pollMs: 20,
    steps: stage.functions,
    resources,
    secrets: { resolve: async () => new Map([[secrets.ref, { value: secrets.value }]]) },
    ...options,
  })
  return {
    stage,
    start: (yaml, input, { inMs } = {}) => {
      const notBefore = inMs === undefined ? {} : { notBefore: servicesOf(keelson).clock.now() + inMs }
      return keelson.start(loadPlan(yaml), input, notBefore)
    },
    fork: ({ runId }) => keelson.fork(runId),
    send: (event) => keelson.send(event),
    publish: (yaml) => keelson.publish(loadPlan(yaml)),
    logged: (run, event) => until(async () => (await eventsOf(run)).includes(event)),
    childOf: async ({ runId }) => {
      const child = async () => (await keelson.list()).runs.find(({ parent }) => parent?.runId === runId)
      await until(async () => (await child()) !== undefined)
      return keelson.run((await child())?.runId ?? '')
    },
    close: async () => {
      stage.releaseAll()
      await keelson.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const CASES = [...ENGINE_FLOW_CASES, ...ENGINE_STEERING_CASES, ...ENGINE_CORNER_CASES, ...ENGINE_EVENT_CASES]

let server: TemporalServer | undefined

const WORLDS: readonly (readonly [string, () => Promise<OpenWorld>])[] = [
  ['the embedded engine', () => engineWorld({})],
  ['the mock engine', () => engineWorld({ engine: 'mock' })],
  [
    'the Temporal engine',
    async () => {
      server = await startTemporal()
      return engineWorld({ engine: temporal({ address: server.address }) })
    },
  ],
]

describe.each(WORLDS)('on %s', (_, open) => {
  let world: OpenWorld
  beforeAll(async () => {
    world = await open()
  }, 600_000)
  afterAll(async () => {
    await world?.close()
    await server?.stop()
  })

  for (const one of CASES) it(one.title, () => one.run(world))
})
