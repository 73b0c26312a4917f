/** What a second terminal, a person or Ctrl-C does to a run that another process drives. */
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until, type Finished } from './command.ts'
import { PLAN, STEPS } from './gated-steps.ts'

beforeAll(ensureBuilt)

async function started(
  folder: string,
  ...more: readonly string[]
): Promise<{ readonly run: Command; readonly id: string }> {
  const run = new Command(['run', 'p.yaml', ...more], folder)
  const [, id = ''] = await run.shows(/run ([0-9a-f]{8})/)
  await until('step a has begun', () => sideLines(folder).includes('a'))
  return { run, id }
}

const finishStep = (folder: string, step: string): void => writeFileSync(join(folder, step), '')
const project = (): string => folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })

/** The log says when the signal was taken; the inbox's own time is not shown, so the command's start is the bound. */
async function timed(work: () => Promise<Finished>): Promise<Finished & { readonly sentAt: number }> {
  const sentAt = Date.now()
  return { ...(await work()), sentAt }
}

describe('signals from a second terminal', () => {
  it('pause and resume reach the run while it goes on; a paused run starts nothing', async () => {
    const folder = project()
    const { run, id } = await started(folder)
    const pause = await timed(() => keelson(['signal', id, 'pause', '--reason', 'stock count', '--json'], folder))
    expect(pause.code).toBe(0)
    const [answer] = jsonLines(pause.stdout)
    expect(answer).toMatchObject({
      eventType: 'SignalAccepted',
      payload: { signalType: 'PAUSE', reason: 'stock count', applied: true },
    })
    // With the start of the sending process in it: on a busy machine that alone takes seconds, so it is told, not judged.
    const took = Date.parse(String(answer?.['emittedAt'])) - pause.sentAt
    process.stdout.write(`a signal was taken ${took} ms after its command was started\n`)
    await run.shows(/paused {2}"stock count"/)
    finishStep(folder, 'a')
    await run.shows(/✔ a /)
    const why = await keelson(['why', id, 'b'], folder)
    expect(why.stdout).toMatch(
      /^b has not started, because\n {2}1 {2}the run is paused by local since .*, "stock count" {3}\(runSeq \d+\)\n.*keelson resume [0-9a-f]{8}/,
    )
    expect(sideLines(folder)).toEqual(['a'])
    expect((await keelson(['signal', id, 'resume'], folder)).stdout).toMatch(
      /^resume taken by run [0-9a-f]{8} \(runSeq \d+\)/,
    )
    finishStep(folder, 'b')
    expect((await run.finished).code).toBe(0)
  })

  it('a paused run can be cancelled, and the command that drives it ends with exit code 3 [CAN-13]', async () => {
    const folder = project()
    const { run, id } = await started(folder)
    await keelson(['signal', id, 'pause'], folder)
    await run.shows(/paused/)
    expect((await keelson(['signal', id, 'cancel', '--reason', 'enough'], folder)).code).toBe(0)
    const { code, stdout } = await run.finished
    expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringMatching(/■ cancelled after/) as string })
  })

  it('a signal the run refuses is told with its code', async () => {
    const folder = project()
    const { run, id } = await started(folder)
    const retry = await keelson(['signal', id, 'retry-step', '--step', 'a'], folder)
    expect(retry).toMatchObject({ code: 1, stderr: expect.stringMatching(/^STEP_NOT_TERMINAL {2}/) as string })
    finishStep(folder, 'a')
    finishStep(folder, 'b')
    expect((await run.finished).code).toBe(0)
    const late = await keelson(['signal', id, 'pause'], folder)
    expect(late).toMatchObject({ code: 1, stderr: expect.stringMatching(/^RUN_TERMINAL {2}/) as string })
  })

  it('a signal to a run that nobody drives waits in its inbox until it is resumed', async () => {
    const folder = project()
    const { run, id } = await started(folder)
    run.kill('SIGTERM')
    expect((await run.finished).code).toBe(4)
    const sent = await keelson(['signal', id, 'cancel'], folder)
    expect(sent.stdout).toMatch(/cancel is in the inbox of run .*; nobody drives it\n {2}keelson resume/)
    expect((await keelson(['resume', id], folder)).code).toBe(3)
  })
})

describe('Ctrl-C', () => {
  it('twice cancels the run, which ends with exit code 3', async () => {
    const folder = project()
    const { run } = await started(folder)
    run.kill('SIGINT')
    await run.shows(/stopping: nothing new starts/)
    run.kill('SIGINT')
    const { code, stdout } = await run.finished
    expect({ code, stdout }).toEqual({
      code: 3,
      stdout: expect.stringMatching(/cancelling, steps have 5 s[\s\S]*■ cancelled after/) as string,
    })
  })

  it('is not the only way to stop: a request to terminate leaves the run with exit code 4, and resume finishes it', async () => {
    const folder = folderWith({
      'p.yaml': PLAN,
      'keelson.steps.mjs': STEPS.replace('if (signal.aborted) throw signal.reason', ''),
    })
    const { run, id } = await started(folder)
    run.kill('SIGTERM')
    const { code, stdout } = await run.finished
    expect({ code, stdout }).toEqual({ code: 4, stdout: expect.stringContaining(`keelson resume ${id}`) as string })
    finishStep(folder, 'a')
    finishStep(folder, 'b')
    expect((await keelson(['resume', id], folder)).code).toBe(0)
  })
})

it('the same request id starts one run, none starts another each time [BPQ-10]', async () => {
  const folder = project()
  finishStep(folder, 'a')
  finishStep(folder, 'b')
  const ids: string[] = []
  for (const more of [['--request-id', 'r-1'], ['--request-id', 'r-1'], [], []]) {
    const { stdout } = await keelson(['run', 'p.yaml', '--json', ...more], folder)
    const last = jsonLines(stdout).at(-1) as { readonly result: { readonly runId: string } }
    ids.push(last.result.runId)
  }
  expect(new Set(ids).size).toBe(3)
  expect(ids[0]).toBe(ids[1])
  expect(sideLines(folder)).toHaveLength(6)
})

describe('a manual task', () => {
  const APPROVAL =
    'plan: p\nversion: 1.0.0\nsteps:\n  - { id: release, manual: { title: Release it, rule: MakerChecker } }\n'

  it('is listed with its token and completed by another person; who started the run is refused with exit code 5', async () => {
    const folder = folderWith({ 'p.yaml': APPROVAL })
    const run = new Command(['run', 'p.yaml', '--as', 'bo'], folder)
    await run.shows(/release {2}waits for a person/)
    const [task] = jsonLines((await keelson(['tasks', '--json'], folder)).stdout)
    expect(task).toMatchObject({
      slot: 'release',
      title: 'Release it',
      token: expect.stringMatching(/^k1\.[0-9a-f]{64}$/) as string,
    })
    const own = await keelson(
      ['complete', 'last', String(task?.['token']), '--outcome', 'Succeeded', '--as', 'bo'],
      folder,
    )
    expect(own).toMatchObject({ code: 5, stderr: expect.stringMatching(/^AUTHZ_DENIED .*MakerChecker/) as string })
    const other = await keelson(
      ['complete', 'last', 'release', '--outcome', 'succeeded', '--as', 'ana', '--notes', 'seen'],
      folder,
    )
    expect(other).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Succeeded recorded/) as string })
    expect((await run.finished).code).toBe(0)
    const events = jsonLines((await keelson(['events', 'last', '--json'], folder)).stdout)
    expect(events.find((one) => one['eventType'] === 'StepCompleted')).toMatchObject({
      payload: { actorId: 'ana', notes: 'seen' },
    })
  })

  it('may be completed while no process runs; resume leaves a run that waits for a person', async () => {
    const folder = folderWith({ 'p.yaml': APPROVAL })
    const run = new Command(['run', 'p.yaml', '--as', 'bo'], folder)
    await run.shows(/release {2}waits for a person/)
    run.kill('SIGKILL')
    await run.finished
    const waiting = await keelson(['resume'], folder)
    expect(waiting).toMatchObject({ code: 4, stdout: expect.stringContaining('waiting for a person') as string })
    const done = await keelson(
      ['complete', 'last', 'release', '--outcome', 'Failed', '--as', 'ana', '--notes', 'wrong amount'],
      folder,
    )
    expect(done.stdout).toMatch(/nobody drives it: keelson resume/)
    const { code, stdout } = await keelson(['resume'], folder)
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(/✖ failed after .*release {2}MANUAL_FAILED {2}"wrong amount"/) as string,
    })
  })
})
