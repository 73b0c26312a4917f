/**
 * The command on Temporal as a newcomer and an operator use it: a real server, workers and clients in processes of their own,
 * one state folder between them.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../src/adapters/processes/free-port.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until, type Finished, type Variables } from './command.ts'

/** `gated` ends when a file named after its step appears, or when it is aborted. */
const STEPS = `import { appendFileSync, existsSync } from 'node:fs'
export const gated = async (input, { stepId, signal }) => {
  appendFileSync('side.txt', stepId + '\\n')
  while (!existsSync(stepId)) {
    if (signal.aborted) throw signal.reason
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return stepId
}
export const breaks = () => { throw Object.assign(new Error('no'), { code: 'NO_LUCK', retryable: false }) }
`
const PLAN = 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: gated }\n  - { id: b, run: gated }\n'
const BROKEN = 'plan: q\nversion: 1.0.0\nsteps:\n  - { id: a, run: gated }\n  - { id: c, run: breaks }\n'
const APPROVAL =
  'plan: m\nversion: 1.0.0\nsteps:\n  - { id: release, manual: { title: Release it, rule: MakerChecker } }\n'

let server: TemporalServer
let queues = 0

beforeAll(async () => {
  await ensureBuilt()
  server = await startTemporal()
})
afterAll(async () => server?.stop())

const project = (): string =>
  folderWith({ 'p.yaml': PLAN, 'q.yaml': BROKEN, 'm.yaml': APPROVAL, 'keelson.steps.mjs': STEPS })
const finishStep = (folder: string, step: string): void => writeFileSync(join(folder, step), '')

/** A queue of its own for each test: a worker must not be given runs of another folder. */
const apart = (): Variables => ({ TEMPORAL_ADDRESS: server.address, TEMPORAL_TASK_QUEUE: `cli-${(queues += 1)}` })
const run = (folder: string, at: Variables, ...more: readonly string[]): Command =>
  new Command(['run', 'p.yaml', '--engine', 'temporal', ...more], folder, undefined, at)
const call = (folder: string, at: Variables, ...words: readonly string[]): Promise<Finished> =>
  keelson(words, folder, undefined, at)

async function worker(folder: string, at: Variables): Promise<Command> {
  const started = new Command(['worker', '--engine', 'temporal'], folder, undefined, at)
  await started.shows(/worker ready/)
  return started
}

async function begun(folder: string, command: Command): Promise<string> {
  const [, id = ''] = await command.shows(/run ([0-9a-f]{8})/)
  await until('step a has begun', () => sideLines(folder).includes('a'))
  return id
}

describe('run --engine temporal', () => {
  it('shows the run move while it does, and how it ended', async () => {
    const folder = project()
    const at = apart()
    const command = run(folder, at)
    const id = await begun(folder, command)
    await command.shows(/▸ a/)
    expect(command.stdout).not.toContain('✔ a')
    finishStep(folder, 'a')
    await command.shows(/✔ a [\s\S]*▸ b/)
    finishStep(folder, 'b')
    const { code, stdout } = await command.finished
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^p 1\.0\.0 {3}run [0-9a-f]{8} {3}temporal, [\s\S]*✔ completed in/) as string,
    })
    expect((await call(folder, at, 'verify', id)).code).toBe(0)
    expect(server.command('workflow', 'list', '--query', `WorkflowId STARTS_WITH '${id}'`)).toContain('Completed')
  })

  it('ends with code 1 when a step fails; fork goes on from there, on Temporal again', async () => {
    const folder = project()
    const at = apart()
    finishStep(folder, 'a')
    const failed = await call(folder, at, 'run', 'q.yaml', '--engine', 'temporal')
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/✖ failed after .*c {2}NO_LUCK/) as string })
    writeFileSync(
      join(folder, 'keelson.steps.mjs'),
      `${STEPS.split('export const breaks')[0]}export const breaks = () => 1\n`,
    )
    const forked = await call(folder, at, 'fork', 'last')
    expect(forked).toMatchObject({ code: 0, stdout: expect.stringMatching(/temporal, [\s\S]*✔ completed/) as string })
    expect(sideLines(folder)).toEqual(['a'])
  })

  it('is cancelled by Ctrl-C, with exit code 3', async () => {
    const folder = project()
    const command = run(folder, apart())
    await begun(folder, command)
    command.kill('SIGINT')
    const { code, stdout } = await command.finished
    expect({ code, stdout }).toEqual({
      code: 3,
      stdout: expect.stringMatching(/cancelling, steps have 5 s[\s\S]*■ cancelled after/) as string,
    })
  })

  it('is left by a second Ctrl-C with exit code 4, and a worker brings it to its end', async () => {
    const folder = project()
    const at = apart()
    writeFileSync(
      join(folder, 'keelson.steps.mjs'),
      STEPS.replace(
        'if (signal.aborted) throw signal.reason',
        'if (signal.aborted) await new Promise((go) => setTimeout(go, 900))',
      ),
    )
    const command = run(folder, at)
    const id = await begun(folder, command)
    command.kill('SIGINT')
    await command.shows(/cancelling/)
    command.kill('SIGINT')
    const { code, stdout } = await command.finished
    expect({ code, stdout }).toEqual({
      code: 4,
      stdout: expect.stringMatching(
        /is left as it is\n.*keelson show .*\n.*keelson worker --engine temporal/,
      ) as string,
    })
    await worker(folder, at)
    await until('it is cancelled', async () => (await call(folder, at, 'show', id)).stdout.includes('■ cancelled'))
  })

  it('tells in its own words that the server is away, and starts nothing [TMP-14]', async () => {
    const folder = project()
    const nobody = { TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` }
    const [client, own] = await Promise.all([
      run(folder, nobody).finished,
      keelson(['worker', '--engine', 'temporal'], folder, undefined, nobody),
    ])
    for (const { code, stderr } of [client, own])
      expect({ code, stderr }).toEqual({
        code: 6,
        stderr: expect.stringMatching(
          /^TEMPORAL_CLIENT_NOT_CONNECTED .*no answer from the Temporal server at 127[\s\S]*keelson dev temporal/,
        ) as string,
      })
    expect((await call(folder, nobody, 'runs')).stdout).toContain('no runs yet')
  })

  it('refuses a namespace that is not there, a bad address, and options that do not go together [TMP-14]', async () => {
    const folder = project()
    const at = apart()
    const cases = [
      [['--namespace', 'nope'], /^TEMPORAL_CLIENT_NOT_CONFIGURED .*has no namespace 'nope'/],
      [['--address', 'nowhere'], /^TEMPORAL_CLIENT_NOT_CONFIGURED .*host:port/],
      [['--queue'], /^USAGE .*--queue/],
    ] as const
    for (const [more, expected] of cases) {
      const { code, stderr } = await run(folder, at, ...more).finished
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(expected) as string })
    }
    const client = await keelson(['run', 'p.yaml', '--client-only'], folder)
    expect(client).toMatchObject({ code: 2, stderr: expect.stringMatching(/^USAGE .*--engine temporal/) as string })
    expect((await call(folder, at, 'runs')).stdout).toContain('no runs yet')
  })
})

describe('a worker', () => {
  it('carries out what a client without the functions has started; the client says when nobody listens', async () => {
    const folder = project()
    const at = apart()
    const elsewhere = folderWith({ 'p.yaml': PLAN })
    const dir = ['--dir', join(folder, '.keelson')]
    const words = ['run', 'p.yaml', '--engine', 'temporal', '--client-only', ...dir]
    const client = new Command(words, elsewhere, undefined, at)
    await client.shows(/no worker listens on cli-\d+-local: start one with `keelson worker --engine temporal`/)
    const host = await worker(folder, at)
    await host.shows(/listens on cli-\d+-local\n {2}can do {5}breaks, gated/)
    finishStep(folder, 'a')
    finishStep(folder, 'b')
    expect((await client.finished).code).toBe(0)
    expect(client.stdout.match(/no worker listens/g)).toHaveLength(1)
    const second = new Command(words, elsewhere, undefined, at)
    expect((await second.finished).stdout).not.toContain('no worker')
    expect(host.stdout).toContain('worker ready')
  })

  it('that is asked to stop lets its step end first, and takes no other', async () => {
    const folder = project()
    const at = apart()
    const host = await worker(folder, at)
    const client = run(folder, at, '--client-only')
    const id = await begun(folder, client)
    host.kill('SIGTERM')
    await host.shows(/SIGTERM: what is at work may end/)
    finishStep(folder, 'a')
    const { code, stdout } = await host.finished
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('worker stopped') as string })
    await worker(folder, at)
    finishStep(folder, 'b')
    expect((await client.finished).code).toBe(0)
    const events = jsonLines((await call(folder, at, 'events', id, '--json')).stdout)
    const starts = events.filter((one) => one['eventType'] === 'StepStarted')
    expect(starts.map((one) => [one['stepId'], one['logicalAttemptId']])).toEqual([
      ['a', 1],
      ['b', 1],
    ])
    expect(sideLines(folder)).toEqual(['a', 'b'])
  })

  it('that is killed in a step is followed by another, which runs the same attempt again', async () => {
    const folder = project()
    const at = apart()
    const host = await worker(folder, at)
    const client = run(folder, at, '--client-only')
    const id = await begun(folder, client)
    host.kill('SIGKILL')
    await host.finished
    await worker(folder, at)
    finishStep(folder, 'a')
    finishStep(folder, 'b')
    expect((await client.finished).code).toBe(0)
    const events = jsonLines((await call(folder, at, 'events', id, '--json')).stdout)
    const ends = events.filter((one) => one['eventType'] === 'StepCompleted')
    expect(ends.map((one) => [one['stepId'], one['logicalAttemptId']])).toEqual([
      ['a', 1],
      ['b', 1],
    ])
    expect(sideLines(folder)).toEqual(['a', 'a', 'b'])
  })

  it('is for outside engines alone', async () => {
    const refused = await keelson(['worker', '--engine', 'embedded'], project())
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/^USAGE .*--engine temporal/) as string })
  })
})

describe('from a third terminal', () => {
  it('signals reach the run through its worker, whether or not the server is named', async () => {
    const folder = project()
    const at = apart()
    const command = run(folder, at)
    const id = await begun(folder, command)
    const without = { TEMPORAL_ADDRESS: '' }
    const pause = await call(folder, without, 'signal', id, 'pause', '--reason', 'stock count')
    expect(pause).toMatchObject({ code: 0, stdout: expect.stringMatching(/^pause taken by run/) as string })
    await command.shows(/paused {2}"stock count"/)
    finishStep(folder, 'a')
    await command.shows(/✔ a/)
    const why = await call(folder, without, 'why', id, 'b')
    expect(why.stdout).toMatch(/b has not started[\s\S]*paused by local since .*, "stock count"/)
    expect(why.stdout).not.toContain('Nobody drives')
    const resumed = await call(folder, at, 'signal', id, 'resume')
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^resume taken by run/) as string })
    const list = await call(folder, without, 'runs')
    expect(list.stdout).toMatch(/RUNNING +1\/2/)
    expect(list.stdout).not.toContain('nobody')
    finishStep(folder, 'b')
    expect((await command.finished).code).toBe(0)
  })

  it('a signal wakes the workflow by itself where the server is named, and only there', async () => {
    const folder = project()
    const at = apart()
    const client = run(folder, at, '--client-only')
    const [, id = ''] = await client.shows(/run ([0-9a-f]{8})/)
    const whole = await wholeId(folder, id)
    const history = (): string => server.command('workflow', 'show', '--workflow-id', whole, '--output', 'json')
    await until('its workflow is there', () => {
      try {
        return history().includes('WORKFLOW_EXECUTION_STARTED')
      } catch {
        return false
      }
    })
    client.kill('SIGKILL')
    await client.finished
    const woken = (): number => history().split('WORKFLOW_EXECUTION_SIGNALED').length - 1
    const before = woken()
    await call(folder, { TEMPORAL_ADDRESS: '' }, 'signal', id, 'cancel')
    expect(woken()).toBe(before)
    await call(folder, at, 'signal', id, 'pause')
    expect(woken()).toBe(before + 1)
  })

  it('events --follow shows the log as it grows, to the end of the run', async () => {
    const folder = project()
    const at = apart()
    const command = run(folder, at)
    const id = await begun(folder, command)
    const follow = new Command(['events', id, '--follow', '--json'], folder)
    await follow.shows(/"StepStarted"/)
    finishStep(folder, 'a')
    finishStep(folder, 'b')
    expect((await command.finished).code).toBe(0)
    const { code, stdout } = await follow.finished
    expect(code).toBe(0)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ eventType: 'RunCompleted' })
  })

  it('a manual task is listed, and completed by another person', async () => {
    const folder = project()
    const at = apart()
    await worker(folder, at)
    const client = new Command(['run', 'm.yaml', '--engine', 'temporal', '--client-only'], folder, undefined, at)
    await client.shows(/release {2}waits for a person/)
    expect(jsonLines((await keelson(['tasks', '--json'], folder)).stdout)).toMatchObject([{ slot: 'release' }])
    const words = ['complete', 'last', 'release', '--outcome', 'succeeded', '--as', 'ana'] as const
    const done = await call(folder, { TEMPORAL_ADDRESS: '' }, ...words)
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Succeeded recorded for run [0-9a-f]{8}\n$/) as string,
    })
    expect((await client.finished).code).toBe(0)
  })

  it('resume leaves runs on Temporal to their workers, and says what to do', async () => {
    const folder = project()
    const at = apart()
    const client = run(folder, at, '--client-only')
    const [, id = ''] = await client.shows(/run ([0-9a-f]{8})/)
    const all = await keelson(['resume'], folder)
    expect(all).toMatchObject({ code: 0, stdout: expect.stringMatching(/^nothing to resume/) as string })
    expect(all.stderr).toMatch(/is on temporal: its workers go on with it \(keelson worker --engine temporal\)/)
    const named = await keelson(['resume', id], folder)
    expect(named).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^RUN_ON_OTHER_ENGINE [\s\S]*keelson migrate <run> --to embedded/) as string,
    })
    const sent = await call(folder, at, 'signal', id, 'cancel')
    expect(sent.stdout).toMatch(
      /cancel is in the inbox .*no worker has taken it yet \(keelson worker --engine temporal\)/,
    )
    await worker(folder, at)
    expect((await client.finished).code).toBe(3)
    expect(sideLines(folder)).toEqual([])
  })
})

async function wholeId(folder: string, id: string): Promise<string> {
  const rows = jsonLines((await keelson(['runs', '--all', '--json'], folder)).stdout)
  return String(rows.map((row) => row['runId']).find((runId) => String(runId).startsWith(id)))
}
