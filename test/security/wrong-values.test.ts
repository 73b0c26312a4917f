/**
 * Values of the wrong kind at every door of the library, as a program without types would hand them over, or one that hands on
 * what it was sent: each is answered by a KeelsonError with a code, or does no harm. None reaches the store or the engine.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporal } from '../../src/adapters/engines/temporal/engine.ts'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import {
  KeelsonError,
  loadPlan,
  openKeelson,
  restoreKeelson,
  verifyBundleFile,
  type Keelson,
  type RunHandle,
} from '../../src/main.ts'
import { refusal } from '../fixtures/refusal.ts'

const PLAN = loadPlan('plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: one }]')
const ADA = { userId: 'ada', roles: ['Admin'], tenantId: 'local' }
const directory = mkdtempSync(join(tmpdir(), 'keelson-values-'))
let keelson: Keelson
let run: RunHandle

beforeAll(async () => {
  keelson = await openKeelson({ directory, steps: { one: () => 1 } })
  run = await keelson.start(PLAN)
  await run.result()
})
afterAll(async () => {
  await keelson.close()
  rmSync(directory, { recursive: true, force: true })
})

const bare: unknown = Object.create(null)
const VALUES: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  NaN,
  1.5,
  '',
  'x',
  true,
  [],
  {},
  () => 1,
  Symbol('s'),
].concat([10n, new Date(NaN), bare] as never[])

type Door = (value: never) => unknown
const first = async (from: AsyncIterable<unknown>): Promise<void> => {
  await from[Symbol.asyncIterator]().next()
}
const open = async (options: object): Promise<void> => (await openKeelson(options)).close()

const DOORS: Readonly<Record<string, Door>> = {
  // An object would be options, and open the folder of the repository.
  openKeelson: (v) => open(typeof v === 'object' && v !== null && !Array.isArray(v) ? { directory: ':memory:' } : v),
  loadPlan: (v) => loadPlan(v),
  'loadPlan file': (v) => loadPlan('plan: p\nversion: 1.0.0\nsteps: []', v),
  start: (v) => keelson.start(v),
  'start options': (v) => keelson.start(PLAN, {}, v),
  publish: (v) => keelson.publish(v),
  published: (v) => keelson.published(v),
  as: (v) => keelson.as(v).getRunStatus(run.runId),
  'as userId': (v) => keelson.as({ ...ADA, userId: v }).getRunStatus(run.runId),
  'as roles': (v) =>
    keelson.as({ ...ADA, roles: v }).signal(run.runId, { signalId: 's', signalType: 'PAUSE', payload: {} }),
  'as tenantId': (v) => keelson.as({ ...ADA, tenantId: v }).getRunStatus(run.runId),
  'as options': (v) => keelson.as(ADA, v),
  'as run': (v) => keelson.as(ADA).getRunStatus(v),
  onEngine: (v) => keelson.onEngine(v),
  run: (v) => keelson.run(v),
  list: (v) => keelson.list(v),
  page: (v) => keelson.list({}, v),
  runs: (v) => first(keelson.runs(v)),
  tasks: (v) => first(keelson.tasks(v)),
  adopt: (v) => keelson.adopt(v),
  readmit: (v) => keelson.readmit(v),
  migrate: (v) => keelson.migrate(v, { to: 'embedded' }),
  'migrate options': (v) => keelson.migrate(run.runId, v),
  previewFork: (v) => keelson.previewFork(v),
  'on name': (v) => keelson.on(v, () => undefined)(),
  'on handler': (v) => keelson.on('step.completed', v)(),
  'subscribe name': (v) => keelson.subscribe(v, () => 1).stop(),
  'subscribe handler': (v) => keelson.subscribe('wrong', v).stop(),
  'queue.approve': (v) => keelson.queue.approve(v),
  'queue.reject': (v) => keelson.queue.reject(v),
  result: (v) => run.result(v),
  'result signal': (v) => run.result({ signal: v }),
  records: (v) => run.records(v),
  'records to': (v) => run.records(0, v),
  events: (v) => first(run.events(v)),
  signal: (v) => run.signal(v),
  'signal payload': (v) => run.signal('PAUSE', v),
  completeTask: (v) => run.completeTask(v),
  snapshot: (v) => run.snapshot(v),
  stepOutput: (v) => run.stepOutput(v),
  why: (v) => run.why(v),
  'why at': (v) => run.why('a', v),
  'maintenance.verify': (v) => keelson.maintenance.verify(v),
  'maintenance.erase': (v) => keelson.maintenance.erase(v, { reason: 'asked' }),
  'maintenance.export': (v) => keelson.maintenance.export(v, join(directory, 'out'), 'n'),
  'maintenance.bundle': (v) => first(keelson.maintenance.bundle(v)),
  'maintenance.archivable': (v) => keelson.maintenance.archivable(v),
  'maintenance.issueReceipts': (v) => keelson.maintenance.issueReceipts(v),
  restoreKeelson: (v) => restoreKeelson(v),
  verifyBundleFile: (v) => verifyBundleFile(v),
  openPostgresStore: (v) => openPostgresStore(v),
  temporal: (v) => temporal(v),
  'temporal address': (v) => temporal({ address: v }),
}

const OPENING = ['engine', 'engines', 'handlers', 'around', 'steps', 'stepsModule', 'egress', 'commands', 'tenantId']
  .concat(['readOnly', 'store', 'keysDirectory', 'replaceVersion', 'adopt', 'leaseMs', 'pollMs', 'maxSteps', 'secrets'])
  .concat(['onProgress', 'stateStore', 'receipts', 'onStoreTrouble', 'onClockJump', 'onLoopBlocked', 'onAlert', 'log'])
  .concat(['environmentSecrets', 'agents', 'resources'])
const STARTING = ['requestId', 'correlationId', 'runId', 'locked', 'actorId', 'replaceVersion', 'notBefore']

async function tryAll(door: Door): Promise<void> {
  for (const value of VALUES) {
    try {
      await (async () => door(value as never))()
    } catch (thrown) {
      expect(thrown, String(typeof value)).toBeInstanceOf(KeelsonError)
    }
  }
}

describe('a value of the wrong kind is a KeelsonError', () => {
  it.each(Object.entries(DOORS))('%s', (_name, door) => tryAll(door))
  it.each(OPENING)('openKeelson: %s', (name) => tryAll((v) => open({ directory: ':memory:', [name]: v })))
  it.each(STARTING)('start: %s', (name) => tryAll((v) => keelson.start(PLAN, {}, { [name]: v })))
})

it('the message names the option, what it must be, and what was meant', async () => {
  const told = async (options: object): Promise<unknown> => (await refusal(openKeelson(options))).problems[0]
  expect(await told({ store: 'memory' })).toEqual({
    code: 'OPTION_INVALID',
    retryable: false,
    message:
      "openKeelson: the option 'store' must be a store such as `openPostgresStore(…)` of keelson/stores/postgres gives, not 'memory'",
    hint: "without this option runs are stored in `directory`; `directory: ':memory:'` keeps them in memory",
  })
  expect(await told({ engine: 'temporal' })).toMatchObject({
    code: 'OPTION_INVALID',
    message:
      "openKeelson: the option 'engine' must be 'embedded' or 'mock' or a SimulatedTime or an engine such as `temporal(…)` of keelson/temporal gives, not 'temporal'",
  })
  expect(await told({ maxSteps: '8' })).toMatchObject({
    message: "openKeelson: the option 'maxSteps' must be a whole number, 1 or more, not '8'",
  })
  expect((await refusal(keelson.start('plan.yaml' as never))).problems[0]).toMatchObject({
    code: 'OPTION_INVALID',
    message: "the plan must be a plan, not 'plan.yaml'",
    hint: 'of a text: `loadPlan(text)`; of a published plan: `{ planId }`',
  })
})
