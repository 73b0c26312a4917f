/**
 * Options that a door of the library does not know: a misspelt one that would be left out in silence, and one from outside that
 * would say more than the door means to hear (`row`, `principal` …).
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { temporal } from '../../src/adapters/engines/temporal/engine.ts'
import {
  loadPlan,
  openKeelson,
  restoreKeelson,
  verifyBundleFile,
  type Keelson,
  type RunHandle,
} from '../../src/main.ts'
import { fileFolder } from '../fixtures/folder.ts'

const ADA = { userId: 'ada', roles: ['Admin'], tenantId: 'local' }

const PLAN = loadPlan('plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: no, retry: { maxAttempts: 1 } }]')
const directory = fileFolder()
let keelson: Keelson
let run: RunHandle

const no = (): never => {
  throw new Error('no')
}

beforeAll(async () => {
  keelson = await openKeelson({ directory, steps: { no } })
  run = await keelson.start(PLAN)
  await run.result()
})
afterAll(async () => {
  await keelson.close()
})

/** As a program without types, or one that hands on what it was sent, would call them. */
const wrong = (name: string, more = {}): never => ({ ...more, [name]: 1 }) as never
async function all(from: AsyncIterable<unknown>): Promise<void> {
  await from[Symbol.asyncIterator]().next()
}

const DOORS: readonly (readonly [door: string, call: (name: string) => unknown])[] = [
  ['openKeelson', (name) => openKeelson(wrong(name, { directory: ':memory:' }))],
  ['egress', (name) => openKeelson({ directory: ':memory:', egress: wrong(name) })],
  ['commands', (name) => openKeelson({ directory: ':memory:', commands: wrong(name, { cwd: '.' }) })],
  ['stateStore', (name) => openKeelson({ directory: ':memory:', stateStore: wrong(name) })],
  ['receipts', (name) => openKeelson({ directory, receipts: wrong(name, { onProblem: () => undefined }) })],
  ['restoreKeelson', (name) => restoreKeelson(wrong(name, { file: 'none' }))],
  ['verifyBundleFile', (name) => verifyBundleFile('none', wrong(name))],
  ['openPostgresStore', (name) => openPostgresStore(wrong(name, { connectionString: 'postgres://nowhere.invalid/x' }))],
  ['temporal', (name) => temporal(wrong(name))],
  ['start', (name) => keelson.start(PLAN, undefined, wrong(name))],
  ['locked', (name) => keelson.start(PLAN, undefined, { locked: wrong(name) })],
  ['importLog', (name) => keelson.importLog('', wrong(name))],
  ['journal', (name) => all(run.journal(wrong(name)))],
  ['publish', (name) => keelson.publish(PLAN, wrong(name))],
  ['publish', (name) => keelson.planRef(PLAN, wrong(name))],
  ['as', (name) => keelson.as(ADA, wrong(name))],
  ['breaker', (name) => keelson.as(ADA, { breaker: wrong(name) })],
  ['list', (name) => keelson.list(wrong(name))],
  ['list', (name) => keelson.list({}, wrong(name, { limit: 1 }))],
  ['list', (name) => all(keelson.runs(wrong(name)))],
  ['tasks', (name) => all(keelson.tasks(wrong(name)))],
  ['migrate', (name) => keelson.migrate(run.runId, wrong(name, { to: 'embedded' }))],
  ['fork', (name) => keelson.fork(run.runId, wrong(name))],
  ['previewFork', (name) => keelson.previewFork(run.runId, wrong(name))],
  ['on', (name) => keelson.on('run.ended' as never, no, wrong(name))],
  ['on', (name) => keelson.onStepCompleted(no, wrong(name))],
  ['subscribe', (name) => keelson.subscribe('s', no, wrong(name))],
  ['queue.start', (name) => keelson.queue.start(wrong(name))],
  ['queue.approve', (name) => keelson.queue.approve(run.runId, wrong(name))],
  ['queue.reject', (name) => keelson.queue.reject(run.runId, wrong(name))],
  ['result', (name) => run.result(wrong(name))],
  ['result', (name) => run.output(wrong(name))],
  ['signal', (name) => run.signal('PAUSE', {}, wrong(name))],
  ['completeTask', (name) => run.completeTask(wrong(name, { completionToken: 'x', outcome: 'Failed' }))],
  ['completeTask', (name) => run.completeTask({} as never, wrong(name))],
  ['maintenance.verify', (name) => keelson.maintenance.verify(run.row, wrong(name))],
  ['maintenance.verifyStore', (name) => keelson.maintenance.verifyStore(wrong(name))],
  ['maintenance.erase', (name) => keelson.maintenance.erase(run.row, wrong(name, { reason: 'asked' }))],
  ['maintenance.archive', (name) => keelson.maintenance.archive(run.row, undefined, wrong(name))],
  ['maintenance.archiveOlderThan', (name) => keelson.maintenance.archiveOlderThan(1e9, undefined, wrong(name))],
  ['maintenance.recover', (name) => keelson.maintenance.recover(wrong(name))],
]

it.each(DOORS)('%s refuses an option that it does not know, and does nothing', async (door, call) => {
  const before = await Promise.all([run.records(), keelson.list()])
  for (const name of ['at', 'row', 'principal', 'services', 'constructor', 'toString', ''])
    await expect((async () => call(name))()).rejects.toMatchObject({
      code: 'OPTION_UNKNOWN',
      message: expect.stringContaining(`${door} has no option '${name}'`) as string,
    })
  expect(await Promise.all([run.records(), keelson.list()])).toEqual(before)
})

it('what was meant is named, and what is no object is refused, too', async () => {
  await expect(keelson.fork(run.runId, wrong('atSek'))).rejects.toMatchObject({
    problems: [{ hint: "did you mean 'atSeq'?" }],
  })
  for (const options of [null, 'x', 7, [], () => undefined])
    await expect(keelson.fork(run.runId, options as never)).rejects.toMatchObject({ code: 'OPTION_UNKNOWN' })
})
