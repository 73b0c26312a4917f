/** Looking at runs: following a log, the past of a step, lists with filters; and retrying a whole run by a signal. */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, linesOf } from './command.ts'
import type { StoredEvent } from '../../src/ports/run-store.ts'
import { keyOfRun, rawLog } from '../fixtures/raw-log.ts'

const STEPS = `import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
export const quick = () => 1
export const gate = async () => { while (!existsSync('open')) await pause(20) }
export const door = () => { if (!existsSync('open')) throw Object.assign(new Error('shut'), { name: 'ConflictError', code: 'SHUT' }) }
`
const planOf = (name: string, ...steps: readonly string[]): string =>
  `plan: ${name}\nversion: 1.0.0\nsteps:\n${steps.map((run) => `  - { id: ${run}, run: ${run} }\n`).join('')}`

beforeAll(ensureBuilt)

/** A run's events as they lie in the database: exact bytes, hashes and salts. */
function storedEvents(folder: string, runId: string): readonly StoredEvent[] {
  const db = new DatabaseSync(join(folder, '.keelson', 'keelson.db'), { readOnly: true })
  try {
    return rawLog(db, keyOfRun(db, runId))
  } finally {
    db.close()
  }
}

describe('keelson events --follow', () => {
  it('shows what is written as it is written and ends with the run, as text and as JSON', async () => {
    const folder = folderWith({ 'p.yaml': planOf('p', 'quick', 'gate'), 'keelson.steps.mjs': STEPS })
    const run = new Command(['run', 'p.yaml'], folder)
    await run.shows(/▸ gate/)
    const text = new Command(['events', 'last', '--follow'], folder)
    const json = new Command(['events', 'last', '-f', '--json', '--after', '2'], folder)
    await text.shows(/StepStarted +gate/)
    await json.shows(/"stepId":"gate"/)
    expect(text.stdout).not.toContain('RunCompleted')
    writeFileSync(join(folder, 'open'), '')
    expect((await text.finished).code).toBe(0)
    expect(linesOf(text.stdout).at(-1)).toMatch(/^\d+ +\S+ +RunCompleted/)
    const lines = jsonLines((await json.finished).stdout)
    expect(lines.map(({ runSeq }) => runSeq)).toEqual(lines.map((_line, at) => at + 3))
    expect(lines.at(-1)?.['eventType']).toBe('RunCompleted')
  })

  it('is left by Ctrl-C, which does nothing to the run', async () => {
    const folder = folderWith({ 'p.yaml': planOf('p', 'gate'), 'keelson.steps.mjs': STEPS })
    const run = new Command(['run', 'p.yaml'], folder)
    await run.shows(/▸ gate/)
    const following = new Command(['events', 'last', '--follow'], folder)
    await following.shows(/StepStarted/)
    following.kill('SIGINT')
    expect((await following.finished).code).toBe(4)
    expect((await keelson(['runs', '--json'], folder)).stdout).toContain('"status":"RUNNING"')
  })
})

it('why --at tells what held a step after an event of the past, and not what holds it now', async () => {
  const folder = folderWith({ 'p.yaml': planOf('p', 'quick', 'door'), 'keelson.steps.mjs': STEPS })
  expect((await keelson(['run', 'p.yaml'], folder)).code).toBe(1)
  const events = jsonLines((await keelson(['events', 'last', '--json'], folder)).stdout)
  const started = events.find(({ eventType, stepId }) => eventType === 'StepStarted' && stepId === 'quick')
  const at = String(started?.['runSeq'])
  const then = await keelson(['why', 'last', 'door', '--at', at], folder)
  expect(then.stdout).toMatch(
    /^after event \d+, .*\n\nquick is not done yet\n {2}1 {2}it is running, .*\ndoor has not started, because\n {2}1 {2}quick is running\n$/,
  )
  const [json] = jsonLines((await keelson(['why', 'last', 'door', '--at', at, '--json'], folder)).stdout)
  expect(json).toMatchObject({ slot: 'door', at: Number(at), causes: [{ kind: 'dependency', stepId: 'quick' }] })
  expect((await keelson(['why', 'last', 'door'], folder)).stdout).toMatch(/door has failed\n.*SHUT/)
  const beyond = await keelson(['why', 'last', '--at', '999'], folder)
  expect(beyond.code).toBe(2)
  expect(beyond.stderr).toMatch(/^USAGE {2}the run has \d+ events; there is no event 999/)
})

it('runs are listed by plan, time and page, all of them, and counted', async () => {
  const folder = folderWith({
    'a.yaml': planOf('a', 'quick'),
    'b.yaml': planOf('b', 'door'),
    'keelson.steps.mjs': STEPS,
  })
  for (const file of ['a.yaml', 'b.yaml', 'a.yaml']) await keelson(['run', file], folder)
  const list = async (...args: readonly string[]): Promise<readonly unknown[]> =>
    jsonLines((await keelson(['runs', '--json', ...args], folder)).stdout).map(
      ({ planId, next }) => planId ?? typeof next,
    )
  expect(await list()).toEqual(['a', 'b', 'a'])
  expect(await list('--plan', 'b')).toEqual(['b'])
  expect(await list('--since', '1h')).toHaveLength(3)
  expect(await list('--until', '1h')).toEqual([])
  expect(await list('--since', '2030-01-01')).toEqual([])
  expect(await list('--limit', '2')).toEqual(['a', 'b', 'string'])
  const page = jsonLines((await keelson(['runs', '--json', '--limit', '2'], folder)).stdout)
  expect(await list('--cursor', String(page.at(-1)?.['next']))).toEqual(['a'])
  expect(await list('--limit', '1', '--all')).toEqual(['a', 'b', 'a'])
  expect((await keelson(['runs', '--counts'], folder)).stdout).toMatch(/^COMPLETED +2\nFAILED +1\n$/)
  expect(jsonLines((await keelson(['runs', '--counts', '--json'], folder)).stdout)).toEqual([
    { COMPLETED: 2, FAILED: 1 },
  ])
})

describe('signal retry-run', () => {
  it('starts a new run from the old one’s results, once per signal, and leaves the old log as it was [SIG-07]', async () => {
    const folder = folderWith({ 'p.yaml': planOf('p', 'quick', 'door'), 'keelson.steps.mjs': STEPS })
    expect((await keelson(['run', 'p.yaml'], folder)).code).toBe(1)
    const [old] = jsonLines((await keelson(['runs', '--json'], folder)).stdout)
    const oldId = String(old?.['runId'])
    const before = storedEvents(folder, oldId)
    writeFileSync(join(folder, 'open'), '')
    const id = randomUUID()
    const retried = await keelson(['signal', oldId, 'retry-run', '--id', id, '--json'], folder)
    expect(retried.code).toBe(0)
    const [fresh, ...others] = jsonLines((await keelson(['runs', '--json'], folder)).stdout)
    expect(fresh).toMatchObject({ status: 'COMPLETED', originalRunId: oldId })
    expect(others).toHaveLength(1)
    const after = storedEvents(folder, oldId)
    expect(after.slice(0, before.length)).toEqual(before)
    const added = after.slice(before.length).map(({ eventType }) => eventType)
    expect(added).toEqual(['SignalAccepted', 'RunForked'])
    await keelson(['signal', oldId, 'retry-run', '--id', id], folder)
    expect(jsonLines((await keelson(['runs', '--json'], folder)).stdout)).toHaveLength(2)
  })

  it('of a run that completed is refused, and starts nothing', async () => {
    const folder = folderWith({ 'p.yaml': planOf('p', 'quick'), 'keelson.steps.mjs': STEPS })
    await keelson(['run', 'p.yaml'], folder)
    const { code, stderr } = await keelson(['signal', 'last', 'retry-run'], folder)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^RUN_TERMINAL {2}the run completed; there is nothing to retry/)
    expect(jsonLines((await keelson(['runs', '--json'], folder)).stdout)).toHaveLength(1)
  })
})

it('every signal of the catalogue can be sent from the command line, and each is answered in the log', async () => {
  const folder = folderWith({ 'p.yaml': planOf('p', 'gate', 'quick', 'door'), 'keelson.steps.mjs': STEPS })
  const run = new Command(['run', 'p.yaml'], folder)
  await run.shows(/▸ gate/)
  const sent: readonly (readonly [words: readonly string[], answer: string])[] = [
    [['pause', '--reason', 'count'], 'ACCEPTED'],
    [['resume'], 'ACCEPTED'],
    [['update-params', '--set', 'x=1', '--reason', 'a mistake'], 'ACCEPTED'],
    [['inject-override', '--step', 'door', '--set', 'x=1', '--reason', 'a mistake'], 'ACCEPTED'],
    [['update-target', '--step', 'door', '--set', 'schema=s', '--reason', 'a mistake'], 'ACCEPTED'],
    [['skip-step', '--step', 'door', '--reason', 'no need'], 'ACCEPTED'],
    [['retry-step', '--step', 'gate'], 'REJECTED'],
    [['retry-run'], 'REJECTED'],
    [['escalate-alert', '--set', 'level=INFO'], 'REJECTED'],
    [['emergency-stop', '--reason', 'fire', '--force-kill'], 'ACCEPTED'],
    [['cancel', '--reason', 'late'], 'REJECTED'],
  ]
  for (const [words] of sent) {
    // Only an ended run refuses a cancel; one that is still ending would take it.
    if (words[0] === 'cancel') await run.finished
    await keelson(['signal', 'last', ...words], folder)
  }
  const log = jsonLines((await keelson(['events', 'last', '--json'], folder)).stdout)
  const answers = log.flatMap(({ payload }) => {
    const { signalType, decision } = payload as Readonly<Record<string, string>>
    return signalType === undefined ? [] : [[signalType.toLowerCase().replaceAll('_', '-'), decision]]
  })
  expect(answers).toEqual(sent.map(([[word], answer]) => [word, answer]))
})
