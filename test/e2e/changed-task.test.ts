/** A task that was changed after somebody read it is not completed by its name alone; a cancelled run in the queue says so. */
import { beforeAll, describe, expect, it } from 'vitest'
import { Command, folderWith, jsonLines, keelson } from './command.ts'
import { ensureBuilt } from './built.ts'

beforeAll(ensureBuilt)

const PLAN = "plan: p\nversion: 1.0.0\nsteps:\n  - { id: release, manual: { title: 'Release ${input.amount}' } }\n"

describe('keelson complete', () => {
  it('asks to look again after a change, and completes what was seen', async () => {
    const folder = folderWith({ 'p.yaml': PLAN })
    const run = new Command(['run', 'p.yaml', '--set', 'amount=1'], folder)
    await run.shows(/release {2}waits for a person/)
    const [seen] = jsonLines((await keelson(['tasks', '--json'], folder)).stdout)
    const change = ['signal', 'last', 'update-params', '--set', 'amount=1000', '--reason', 'more', '--as', 'bo']
    expect((await keelson(change, folder)).code).toBe(0)
    const complete = ['complete', 'last', 'release', '--outcome', 'Succeeded']
    expect(await keelson(complete, folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^TASK_CHANGED {2}what 'release' asks for was changed/) as string,
    })
    const old = String(seen?.['token']).split('.')[1]?.slice(0, 8) ?? ''
    expect(await keelson([...complete, '--seen', old], folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^TASK_CHANGED {2}'release' is not the task that you saw/) as string,
    })
    const { stdout } = await keelson(['tasks'], folder)
    const [, now = ''] = /release --seen ([0-9a-f]{8}) --outcome/.exec(stdout) ?? []
    expect(stdout).toContain('Release 1000')
    expect((await keelson([...complete, '--seen', now], folder)).code).toBe(0)
    expect((await run.finished).code).toBe(0)
  })
})

describe('keelson queue start', () => {
  it('of a run that waits for approval and was cancelled says that it is cancelled', async () => {
    const folder = folderWith({ 'p.yaml': PLAN })
    await keelson(['run', 'p.yaml', '--set', 'amount=1', '--queue', '--needs-approval'], folder)
    expect(await keelson(['queue', 'start', 'last'], folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^RUN_NOT_QUEUED .*waits for approval/) as string,
    })
    await keelson(['signal', 'last', 'cancel'], folder)
    expect(await keelson(['queue', 'start', 'last'], folder)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/does not start: it is CANCELLED/) as string,
    })
  })
})
