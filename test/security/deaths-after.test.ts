/**
 * After a run took its process with it three times: nothing of it is damaged, so it is shown, proved whole, forked at any event,
 * and whoever asks what to do is told.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from '../e2e/built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until, type Variables } from '../e2e/command.ts'
import { openKeelson } from '../../src/main.ts'
import { changeRawEvent, dropTriggers, keyOfRun } from '../fixtures/raw-log.ts'

const STEPS = `import { appendFileSync, existsSync } from 'node:fs'
export const fast = () => 1
export const gated = async (input, { stepId }) => {
  appendFileSync('side.txt', stepId + '\\n')
  while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10))
  return stepId
}
`
const PLAN = JSON.stringify({
  plan: 'heavy',
  version: '1.0.0',
  steps: [
    { id: 'first', run: 'gated' },
    { id: 'second', run: 'fast', if: 'length(input.list) > `1`' },
  ],
})
const SMALL: Variables = { NODE_OPTIONS: '--max-old-space-size=24' }

interface Dead {
  readonly folder: string
  readonly id: string
  /** Number of its last event. */
  readonly last: number
}

async function deadRun(): Promise<Dead> {
  const wide = JSON.stringify({ list: Array.from({ length: 900_000 }, () => ({})) })
  const folder = folderWith({ 'heavy.json': PLAN, 'wide.json': wide, 'keelson.steps.mjs': STEPS })
  const command = new Command(['run', 'heavy.json', '--input', 'wide.json'], folder)
  await until('it is at work', () => sideLines(folder).includes('first'))
  command.kill('SIGKILL')
  await command.finished
  writeFileSync(join(folder, 'go'), '')
  for (let deaths = 0; deaths < 4; deaths++) await new Command(['resume', '--json'], folder, undefined, SMALL).finished
  const [row] = jsonLines((await keelson(['runs', '--json'], folder)).stdout)
  expect(row?.['quarantine']).toBe('RUN_KILLS_PROCESS')
  const id = String(row?.['runId'])
  const events = jsonLines((await keelson(['events', id, '--json'], folder)).stdout)
  return { folder, id, last: events.filter((one) => 'runSeq' in one).length }
}

async function isShown({ folder, id, last }: Dead): Promise<void> {
  const told = await keelson(['show', id], folder, undefined, SMALL)
  expect(told.code).toBe(6)
  expect(told.stdout).toMatch(/^heavy 1\.0\.0 {3}run [\s\S]*first +Step\w+ +\d+\n[\s\S]*RUNNING/)
  expect(told.stderr).toMatch(/\n.*The usual cause is memory.*`keelson resume <run> --retry`/)
  const [shown, problem] = jsonLines((await keelson(['show', id, '--json'], folder, undefined, SMALL)).stdout)
  expect(shown).toMatchObject({ runId: id, status: 'RUNNING', lastEventSeq: last, steps: [{ stepId: 'first' }] })
  const todo = expect.stringContaining('--retry') as string
  expect(problem).toMatchObject({ problems: [{ code: 'RUN_QUARANTINED', todo }] })
  expect((await keelson(['doctor'], folder)).stdout).toMatch(/RUN_KILLS_PROCESS\)[\s\S]*keelson resume <run> --retry/)
}

async function isProved({ folder, id }: Dead): Promise<void> {
  expect((await keelson(['verify', id], folder)).code).toBe(0)
  const told = await keelson(['verify', '--store'], folder)
  expect([told.code, told.stdout]).toEqual([0, expect.stringMatching(/^✔ the store is whole {3}1 run /)])
  expect(told.stderr).toContain(`run ${id} was set aside (RUN_KILLS_PROCESS); what is stored of it is whole`)
}

async function isForked({ folder, id, last }: Dead): Promise<void> {
  const { stderr } = await keelson(['why', id], folder, undefined, SMALL)
  expect(stderr).toContain(`keelson fork ${id} --at ${last}`)
  for (const at of [last, 1]) {
    const forked = await keelson(['fork', id, '--at', String(at)], folder)
    expect([at, forked.code, forked.stderr]).toEqual([at, 0, ''])
  }
  const beyond = await keelson(['fork', id, '--at', String(last + 1)], folder)
  expect([beyond.code, beyond.stderr]).toEqual([6, expect.stringContaining(`--at ${last}`)])
  const steps = { fast: () => 1, gated: () => 'again' }
  await using opened = await openKeelson({ directory: join(folder, '.keelson'), steps, adopt: false })
  const fork = await opened.fork(id, { atSeq: last - 1 })
  expect((await fork.result()).status).toBe('COMPLETED')
}

/** Somebody only says that it is such a run; then its log is damaged besides. */
async function isNotBelieved({ folder, id, last }: Dead): Promise<void> {
  const database = new DatabaseSync(join(folder, '.keelson', 'keelson.db'))
  database.exec('UPDATE runs SET died_doing = NULL')
  const forged = await keelson(['verify', '--store'], folder)
  expect([forged.code, forged.stdout]).toEqual([1, expect.stringContaining('RUN_UNPROVED')])
  dropTriggers(database)
  changeRawEvent(database, last, (event) => ({ ...event, record: '{' }), keyOfRun(database, id))
  database.close()
  const refused = await keelson(['fork', id, '--at', String(last)], folder)
  expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining(`keelson fork ${id} --at ${last - 1}`)])
}

beforeAll(ensureBuilt)

it('a run that took its process with it three times is shown, proved whole and forked at any event [P-27]', async () => {
  const dead = await deadRun()
  await isShown(dead)
  await isProved(dead)
  await isForked(dead)
  await isNotBelieved(dead)
})
