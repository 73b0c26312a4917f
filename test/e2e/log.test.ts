/** Looking at runs: their log, their list, their snapshot, why they are where they are, and whether they are whole. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson, linesOf, sideLines } from './command.ts'
import { changeRawEvent, dropTriggers } from '../fixtures/raw-log.ts'

const STEPS = `import { appendFileSync, existsSync } from 'node:fs'
const note = (text) => appendFileSync('side.txt', text + '\\n')
export const good = (input, { stepId }) => (note(stepId), { from: stepId })
export const bad = (input, { stepId }) => {
  note(stepId)
  console.log('a step talks')
  if (!existsSync('mended')) throw Object.assign(new Error('it broke'), { code: 'BROKEN', name: 'ConflictError' })
}
`
const PLAN =
  'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: good }\n  - { id: b, run: bad }\n  - { id: c, run: good }\n'

beforeAll(ensureBuilt)

async function failedRun(): Promise<{ readonly folder: string; readonly id: string }> {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  const { code, stdout, stderr } = await keelson(['run', 'p.yaml', '--json'], folder)
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'a step talks\n' })
  const { result } = jsonLines(stdout).at(-1) as { readonly result: { readonly runId: string } }
  return { folder, id: result.runId }
}

it('events and run --json give the same log, one event per line in order; --after leaves out what was seen', async () => {
  const { folder, id } = await failedRun()
  const all = jsonLines((await keelson(['events', id, '--json'], folder)).stdout)
  expect(all.map((one) => one['eventType'])).toEqual([
    'RunApproved',
    'RunStarted',
    'StepStarted',
    'StepCompleted',
    'StepStarted',
    'StepFailed',
    'RunFailed',
  ])
  expect(all.map((one) => one['runSeq'])).toEqual([1, 2, 3, 4, 5, 6, 7])
  const rest = jsonLines((await keelson(['events', id, '--json', '--after', '5'], folder)).stdout)
  expect(rest).toEqual(all.slice(5))
  const table = linesOf((await keelson(['events', id], folder)).stdout)
  expect(table[0]).toMatch(/^SEQ +TIME +EVENT +SLOT +ATTEMPT +DETAIL$/)
  expect(table[6]).toMatch(/^6 +\d\d:\d\d:\d\d\.\d{3} +StepFailed +b +1 +.*BROKEN {2}"it broke"/)
})

it('a run is named by its first characters or as the last one', async () => {
  const { folder, id } = await failedRun()
  for (const name of [id.slice(0, 4), id.slice(0, 13).toUpperCase(), 'last']) {
    const [snapshot] = jsonLines((await keelson(['show', name, '--json'], folder)).stdout)
    expect(snapshot).toMatchObject({
      runId: id,
      status: 'FAILED',
      lastEventSeq: 7,
      rootCause: { stepId: 'b', code: 'BROKEN', message: 'it broke' },
    })
  }
  expect(await keelson(['show', id.slice(0, 3)], folder)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^USAGE .*too short/) as string,
  })
  expect(await keelson(['show', 'ffff0000'], folder)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^RUN_NOT_FOUND /) as string,
  })
})

it('runs lists newest first and filters by status', async () => {
  const { folder, id } = await failedRun()
  await keelson(['run', 'p.yaml'], folder)
  const listed = jsonLines((await keelson(['runs', '--json'], folder)).stdout)
  expect(listed.map((row) => row['runId']).at(-1)).toBe(id)
  expect(listed).toHaveLength(2)
  expect((await keelson(['runs', '--status', 'completed'], folder)).stdout).toBe('no runs with status COMPLETED\n')
  expect(await keelson(['runs', '--status', 'gone'], folder)).toMatchObject({ code: 2 })
})

it('why says what failed, with its message, and what never started because of it', async () => {
  const { folder, id } = await failedRun()
  expect((await keelson(['why', id, 'b'], folder)).stdout).toMatch(
    /^b has failed\n {2}1 {2}it failed in attempt 1 with BROKEN "it broke" {3}\(runSeq 6\)/,
  )
  expect((await keelson(['why', id, 'c'], folder)).stdout).toMatch(/the run ended FAILED, because b failed with BROKEN/)
  expect(await keelson(['why', id, 'bb'], folder)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^STEP_UNKNOWN /) as string,
  })
})

it('fork takes over what succeeded and runs the rest', async () => {
  const { folder, id } = await failedRun()
  writeFileSync(join(folder, 'mended'), '')
  const { code, stdout } = await keelson(['fork', id, '--json'], folder)
  expect(code).toBe(0)
  expect(sideLines(folder)).toEqual(['a', 'b', 'b', 'c'])
  expect(jsonLines(stdout).find((one) => one['stepId'] === 'a')).toMatchObject({
    payload: { reusedFrom: { runId: id } },
  })
})

it('verify finds a whole log whole and an altered one altered, with exit code 1', async () => {
  const { folder, id } = await failedRun()
  const whole = await keelson(['verify', id], folder)
  expect(whole).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^✔ the log is whole {3}run [0-9a-f]{8}, 7 events\n[\s\S]*proves[\s\S]*does not prove/,
    ) as string,
  })
  const database = new DatabaseSync(join(folder, '.keelson', 'keelson.db'))
  dropTriggers(database)
  changeRawEvent(database, 6, (event) => ({ ...event, record: event.record.replaceAll('BROKEN', 'MENDED') }))
  database.close()
  const altered = await keelson(['verify', id], folder)
  expect(altered).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^✖ the log was altered .*\n {2}event 6: /) as string,
  })
})
