/** Runs on Temporal from a third terminal, which neither drives nor started them: signals, tasks, the log as it grows, and `resume`. */
import { describe, expect, it } from 'vitest'
import { Command, jsonLines, keelson, sideLines, until } from './command.ts'
import { apart, begun, call, finishStep, onTemporal, project, run, server, worker } from './temporal-project.ts'

onTemporal()

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
    const client = new Command(
      ['run', 'm.yaml', '--engine', 'temporal', '--client-only', '--as', 'bo'],
      folder,
      undefined,
      at,
    )
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
