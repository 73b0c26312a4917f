/**
 * The cases of the engine's suite with workers in Python, which are killed at random: a case comes to the same as with functions here, and
 * so does the log of each of its runs. `KEELSON_TESTS=full` plays them again and again, with more kills; KEELSON_SEED fixes who is killed.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { canonicalRuns, projection } from '../../src/core/conformance/canonical-log.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { loadPlan } from '../../src/library/plans/load-plan.ts'
import { openKeelson, type Keelson } from '../../src/main.ts'
import { fileFolder } from '../fixtures/folder.ts'
import { until } from '../fixtures/until.ts'
import { extent } from '../setup/extent.ts'
import { SEED } from '../setup/seed.ts'
import { Rng } from '../sim/random.ts'
import { ENGINE_CORNER_CASES } from '../suites/engine/engine-corner-cases.ts'
import { ENGINE_EVENT_CASES } from '../suites/engine/engine-event-cases.ts'
import { ENGINE_FLOW_CASES } from '../suites/engine/engine-flow-cases.ts'
import { engineStage, type EngineStage } from '../suites/engine/engine-stage.ts'
import { ENGINE_STEERING_CASES } from '../suites/engine/engine-steering-cases.ts'
import {
  ENGINE_NEEDS,
  eventsOf,
  type EngineCase,
  type EngineRun,
  type EngineWorld,
} from '../suites/engine/engine-suite.ts'
import { FarStage, farPlan } from './far-stage.ts'
import { served, type Served } from './served.ts'

const ALL = [...ENGINE_FLOW_CASES, ...ENGINE_STEERING_CASES, ...ENGINE_CORNER_CASES, ...ENGINE_EVENT_CASES]
/** Of its title. A case is left out for what the workers change about it. */
const LEFT_OUT = [
  // A worker elsewhere cannot write into the artifacts of the server.
  'what a step keeps',
  // It hears that it is to stop with its next heartbeat: the run has ended by then.
  'an attempt that takes too long',
  // Which of two items fails first is chance.
  'under continue every item',
  ...extent(['a fan-out of hundreds'], []),
]
/**
 * A worker is asked to stop: one that is killed then does not say that it has. And one that is killed right after it claimed an irreversible
 * step does not say that it was called: nobody calls it again.
 */
const CALM = [
  'an irreversible step',
  'a run that takes too long',
  'a cancelled run asks its steps',
  'an emergency stop',
  'a child run is cancelled',
]
const begins = (starts: readonly string[], { title }: EngineCase): boolean =>
  starts.some((one) => title.startsWith(one))
const CASES = ALL.filter((one) => !begins(LEFT_OUT, one))
const ROUNDS = extent(1, 5)
const KILL_EVERY_MS = extent(800, 500)
const WORKERS = 4
const { resources, secrets } = ENGINE_NEEDS
const OPENING = {
  pollMs: 20,
  resources,
  secrets: { resolve: async () => new Map([[secrets.ref, { value: secrets.value }]]) },
} as const

interface Played extends EngineWorld {
  /** Every run of the case, in the order in which they were started, as their logs must be alike. */
  readonly logs: () => Promise<readonly unknown[]>
}

let server: Served
let here: Keelson
let far: FarStage
const stage = engineStage()
let killing: NodeJS.Timeout | undefined
const [folder, notes] = [fileFolder(), fileFolder()]

beforeAll(async () => {
  here = await openKeelson({ directory: ':memory:', ...OPENING, steps: stage.functions })
  server = await served({ ...OPENING, directory: folder })
  far = new FarStage(server.url, 'acme.robot.worker-secrets', notes, WORKERS)
  const random = new Rng(SEED)
  killing = setInterval(() => far.kill(random), KILL_EVERY_MS)
})
afterAll(async () => {
  clearInterval(killing)
  stage.releaseAll()
  far?.close()
  await server?.[Symbol.asyncDispose]()
  await here?.close()
})

function worldOn(keelson: Keelson, its: EngineStage, written: (yaml: string) => string): Played {
  const started: { readonly run: EngineRun; readonly yaml: string }[] = []
  const kept = (run: EngineRun, yaml: string): EngineRun => {
    started.push({ run, yaml })
    return run
  }
  return {
    stage: its,
    start: async (yaml, input, { inMs } = {}) => {
      const notBefore = inMs === undefined ? {} : { notBefore: Date.now() + inMs }
      return kept(await keelson.start(loadPlan(written(yaml)), input, notBefore), yaml)
    },
    fork: async (run) =>
      kept(await keelson.fork(run.runId), started.find((one) => one.run.runId === run.runId)?.yaml ?? ''),
    send: (event) => keelson.send(event),
    publish: (yaml) => keelson.publish(loadPlan(written(yaml))),
    logged: (run, event) => until(async () => (await eventsOf(run)).includes(event)),
    childOf: async ({ runId }) => {
      const child = async () => (await keelson.list()).runs.find(({ parent }) => parent?.runId === runId)
      await until(async () => (await child()) !== undefined)
      return keelson.run((await child())?.runId ?? '')
    },
    logs: () => Promise.all(started.map(async ({ run, yaml }) => canonical(run.runId, yaml, await run.records()))),
  }
}

/** What two logs must have in common: every event of every slot, and the order that the plan demands. */
function canonical(runId: string, yaml: string, records: readonly LogRecord[]): unknown {
  const [run] = projection(canonicalRuns([{ runId, plan: loadPlan(yaml).plan, records }], [])) as readonly object[]
  // The plans differ by their queue, and so by hash and size; a killed worker may have done what another did again; ids are chance, and
  // the time of an attempt counts from its claim.
  const told = JSON.stringify(run)
    .replaceAll(/[0-9a-f]{64}/g, '<hash>')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/"sizeBytes":\d+/g, '"sizeBytes":0')
    .replaceAll(/longer than \d+ ms/g, 'longer than <ms>')
    .replaceAll(',"mayHaveRunTwice":true', '')
  return JSON.parse(told) as unknown
}

const PLAYED = Array.from({ length: ROUNDS }, (_, round) => CASES.map((one) => [one.title, round, one] as const)).flat()

it.each(PLAYED)('%s, round %i: as with functions here', async (_title: string, _round: number, one: EngineCase) => {
  const acme = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'local' }
  const there = worldOn(onBehalf(server.keelson, acme), far, farPlan)
  const inline = worldOn(onBehalf(here, acme), stage, (yaml) => yaml)
  far.isCalm = begins(CALM, one)
  await one.run(there)
  far.isCalm = false
  await one.run(inline)
  expect(await there.logs(), `seed ${SEED}`).toEqual(await inline.logs())
})

it('more than half of the cases were played, and whatever was begun again was begun under its key [ATT-03, X-66]', () => {
  expect(CASES.length).toBeGreaterThan(ALL.length / 2)
  // The clock decides on kills: the sooner the cases are over, the fewer there are.
  expect(far.kills).toBeGreaterThan(CASES.length / 10)
  expect(far.keysPerAttempt(), `seed ${SEED}`).toEqual(new Set([1]))
})
