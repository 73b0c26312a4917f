/** `keelson migrate` as a person uses it: one terminal runs, another moves the run to a real Temporal server, or back. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until } from './command.ts'
import { PLAN, STEPS } from './gated-steps.ts'

let server: TemporalServer

beforeAll(async () => {
  await ensureBuilt()
  server = await startTemporal()
}, 600_000)
afterAll(() => server?.stop())

const finishStep = (folder: string, step: string): void => writeFileSync(join(folder, step), '')

async function started(): Promise<{ readonly folder: string; readonly run: Command; readonly id: string }> {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  const run = new Command(['run', 'p.yaml'], folder)
  const [, id = ''] = await run.shows(/run ([0-9a-f]{8})/)
  await until('step a has begun', () => sideLines(folder).includes('a'))
  return { folder, run, id }
}

const migrate = (folder: string, ...words: readonly string[]): Command =>
  new Command(['migrate', ...words, '--address', server.address], folder)

async function typesOf(folder: string, id: string): Promise<readonly unknown[]> {
  const { stdout } = await keelson(['events', id, '--json'], folder)
  return jsonLines(stdout).map(({ eventType }) => eventType)
}

describe('keelson migrate', () => {
  it('takes a run from its terminal to Temporal; why tells of the gate; both terminals see the end', async () => {
    const { folder, run, id } = await started()
    const mover = migrate(folder, id, '--to', 'temporal', '--worker')
    await until('the gate is shut', async () => (await typesOf(folder, id)).includes('RunPaused'))
    const why = await keelson(['why', id, 'b'], folder)
    expect(why.stdout).toContain('"migrate to temporal"')
    expect(why.stdout).toContain(`keelson migrate ${id} --to temporal`)
    finishStep(folder, 'a')
    await mover.shows(/is on temporal now \(epoch 2\)/)
    await until('step b has begun', () => sideLines(folder).includes('b'))
    const resume = await keelson(['resume', id], folder)
    expect(resume).toMatchObject({ code: 6 })
    expect(resume.stderr).toContain('RUN_ON_OTHER_ENGINE')
    finishStep(folder, 'b')
    expect(await mover.finished).toMatchObject({ code: 0 })
    expect(await run.finished).toMatchObject({ code: 0 })
    expect(sideLines(folder)).toEqual(['a', 'b'])
    expect(await keelson(['verify', id], folder)).toMatchObject({ code: 0 })
  })

  it('moves a run that nobody drives, and takes it back from a server without workers, by force', async () => {
    const { folder, run, id } = await started()
    run.kill('SIGKILL')
    await run.finished
    const there = await migrate(folder, id, '--to', 'temporal', '--json').finished
    expect(there).toMatchObject({ code: 0 })
    expect(jsonLines(there.stdout)).toMatchObject([
      { migration: { from: 'embedded', to: 'temporal', again: ['a'], forced: false } },
    ])
    expect(await migrate(folder, id, '--to', 'temporal').finished).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ENGINE_UNCHANGED') as string,
    })
    const back = migrate(folder, id, '--to', 'embedded', '--drain', '1s', '--force')
    await back.shows(/is on embedded now/)
    finishStep(folder, 'a')
    await until('step b has begun', () => sideLines(folder).includes('b'))
    back.kill('SIGINT')
    expect(await back.finished).toMatchObject({ code: 4 })
    finishStep(folder, 'b')
    expect(await keelson(['resume', id], folder)).toMatchObject({ code: 0 })
    expect(await keelson(['verify', id], folder)).toMatchObject({ code: 0 })
    const types = await typesOf(folder, id)
    expect(types.filter((type) => type === 'EngineHandoff')).toHaveLength(2)
    expect(types.at(-1)).toBe('RunCompleted')
  })

  it('leaves the run where it was when its step is not done in time', async () => {
    const { folder, run, id } = await started()
    const late = await migrate(folder, id, '--to', 'temporal', '--drain', '1s').finished
    expect(late).toMatchObject({ code: 1 })
    expect(late.stderr).toContain('RUN_NOT_DRAINED')
    finishStep(folder, 'a')
    finishStep(folder, 'b')
    expect(await run.finished).toMatchObject({ code: 0 })
    expect(await typesOf(folder, id)).not.toContain('EngineHandoff')
  })

  it('refuses an engine it does not know, a server that is not there, and a run that has ended', async () => {
    const { folder, run, id } = await started()
    expect(await keelson(['migrate', id, '--to', 'temporul'], folder)).toMatchObject({ code: 2 })
    expect(await keelson(['migrate', id], folder)).toMatchObject({ code: 2 })
    const away = await keelson(['migrate', id, '--to', 'temporal', '--address', '127.0.0.1:1'], folder)
    expect(away).toMatchObject({ code: 6 })
    expect(away.stderr).toContain('TEMPORAL_CLIENT_NOT_CONNECTED')
    finishStep(folder, 'a')
    finishStep(folder, 'b')
    await run.finished
    expect(await migrate(folder, id, '--to', 'temporal').finished).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('RUN_TERMINAL') as string,
    })
    expect(await typesOf(folder, id)).not.toContain('RunPaused')
  })
})
