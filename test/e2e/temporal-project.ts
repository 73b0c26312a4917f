/**
 * A project on Temporal for tests of the command: a real server for the file, and for each test a folder of plans and a queue of its own, since
 * a worker must not be given runs of another folder.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, keelson, sideLines, until, type Finished, type Variables } from './command.ts'
import { PLAN, STEPS as GATED } from './gated-steps.ts'

export const STEPS = `${GATED}export const breaks = () => { throw Object.assign(new Error('no'), { code: 'NO_LUCK', retryable: false }) }
`
const BROKEN = 'plan: q\nversion: 1.0.0\nsteps:\n  - { id: a, run: gated }\n  - { id: c, run: breaks }\n'
const APPROVAL =
  'plan: m\nversion: 1.0.0\nsteps:\n  - { id: release, manual: { title: Release it, rule: MakerChecker } }\n'

export let server: TemporalServer
let queues = 0

/** Called where a test file begins. */
export function onTemporal(): void {
  beforeAll(async () => {
    await ensureBuilt()
    server = await startTemporal()
  })
  afterAll(async () => server?.stop())
}

export const project = (): string =>
  folderWith({ 'p.yaml': PLAN, 'q.yaml': BROKEN, 'm.yaml': APPROVAL, 'keelson.steps.mjs': STEPS })
export const finishStep = (folder: string, step: string): void => writeFileSync(join(folder, step), '')

export const apart = (): Variables => ({
  TEMPORAL_ADDRESS: server.address,
  TEMPORAL_TASK_QUEUE: `cli-${(queues += 1)}`,
})
export const run = (folder: string, at: Variables, ...more: readonly string[]): Command =>
  new Command(['run', 'p.yaml', '--engine', 'temporal', ...more], folder, undefined, at)
export const call = (folder: string, at: Variables, ...words: readonly string[]): Promise<Finished> =>
  keelson(words, folder, undefined, at)

export async function worker(folder: string, at: Variables): Promise<Command> {
  const started = new Command(['worker', '--engine', 'temporal'], folder, undefined, at)
  await started.shows(/worker ready/)
  return started
}

export async function begun(folder: string, command: Command): Promise<string> {
  const [, id = ''] = await command.shows(/run ([0-9a-f]{8})/)
  await until('step a has begun', () => sideLines(folder).includes('a'))
  return id
}
