/** Reading a log out and in by the command line: one folder plays the run, the other takes in its log. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { seedOne } from '../fixtures/foreign-log.ts'
import { sha256Of } from '../golden/event-samples.ts'
import { folderWith, jsonLines, keelson, linesOf } from './command.ts'

const PLAN =
  'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: good }\n  - { id: b, run: bad }\n  - { id: c, run: good }\n'
const STEPS = `export const good = (input, { stepId }) => ({ from: stepId })
export const bad = () => {
  throw Object.assign(new Error('it broke'), { code: 'BROKEN', name: 'ConflictError' })
}
`

beforeAll(ensureBuilt)

interface Exported {
  readonly text: string
  readonly id: string
}

/** A failed run, read out in one form. */
async function readOut(form: string): Promise<Exported> {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  expect((await keelson(['run', 'p.yaml', '--json'], folder)).code).toBe(1)
  const { code, stdout } = await keelson(['events', 'last', '--as', form], folder)
  expect(code).toBe(0)
  const [row] = jsonLines((await keelson(['runs', '--json'], folder)).stdout)
  return { text: stdout, id: String(row?.['runId']) }
}

it.each(['s0', 's1', 'cloudevents'])(
  'a log read out as %s and imported elsewhere is listed, shown and verified there, marked as imported, and twice is as good as once',
  async (form) => {
    const { text, id } = await readOut(form)
    const there = folderWith({ 'run.jsonl': text })
    const first = await keelson(['log', 'import', 'run.jsonl', '--json'], there)
    expect({ code: first.code, answers: jsonLines(first.stdout) }).toEqual({
      code: 0,
      answers: [{ runId: id, status: 'FAILED', added: 7, known: 0, mismatches: [], ignored: [], leftOut: [] }],
    })
    const again = await keelson(['log', 'import', 'run.jsonl'], there)
    expect(again.code).toBe(0)
    expect(again.stdout).toContain('0 new events, 7 events stored before')
    expect((await keelson(['runs'], there)).stdout).toMatch(/FAILED.*BROKEN {2}imported/)
    const shown = await keelson(['show', id], there)
    expect(shown.code).toBe(0)
    expect(linesOf(shown.stdout).map((line) => line.trim().split(/\s+/).slice(0, 3))).toEqual(
      expect.arrayContaining([
        ['a', 'SUCCESS', '1'],
        ['b', 'FAILED', '1'],
      ]),
    )
    expect(shown.stdout).toContain('its log was imported')
    expect(jsonLines((await keelson(['show', id, '--json'], there)).stdout)[0]).toMatchObject({
      status: 'FAILED',
      imported: true,
      rootCause: { code: 'BROKEN', message: 'it broke' },
    })
    expect(linesOf((await keelson(['events', id], there)).stdout)).toHaveLength(8)
    const proof = await keelson(['verify', id, '--json'], there)
    expect(proof.code).toBe(0)
    expect(jsonLines(proof.stdout)[0]).toMatchObject({
      whole: true,
      checked: 7,
      decisions: { unchecked: { code: 'RUN_FOREIGN' } },
    })
    expect((await keelson(['verify', '--store'], there)).code).toBe(0)
  },
)

it('an imported log is bundled and archived like any other, and its bundle verifies', async () => {
  const { text, id } = await readOut('s0')
  const there = folderWith({ 'run.jsonl': text })
  await keelson(['log', 'import', 'run.jsonl'], there)
  expect((await keelson(['export', id, '--out', 'bundle.jsonl'], there)).code).toBe(0)
  expect((await keelson(['verify', 'bundle.jsonl'], there)).code).toBe(0)
  expect((await keelson(['archive', id], there)).code).toBe(0)
  expect((await keelson(['verify', '--store'], there)).code).toBe(0)
})

it('a log with a bad line is refused whole, with the file and the line, and nothing of it is stored', async () => {
  const { text } = await readOut('s0')
  const lines = linesOf(text)
  const there = folderWith({
    'run.jsonl': lines.toSpliced(3, 1, String(lines[3]).replace('StepCompleted', 'StepFailed')).join('\n'),
  })
  const { code, stderr } = await keelson(['log', 'import', 'run.jsonl'], there)
  expect(code).toBe(2)
  expect(stderr).toContain('run.jsonl:4:1')
  expect(stderr).toContain('SCHEMA_VALIDATION_FAILED')
  expect((await keelson(['runs'], there)).stdout).toBe('no runs yet\n')
})

it('other content under a known key is told with its line, and the exit code says so [X-10, IDM-13]', async () => {
  const { text, id } = await readOut('s0')
  const there = folderWith({ 'run.jsonl': text })
  await keelson(['log', 'import', 'run.jsonl'], there)
  writeFileSync(join(there, 'other.jsonl'), text.replace('"from":"a"', '"from":"z"'))
  const { code, stdout } = await keelson(['log', 'import', 'other.jsonl'], there)
  expect(code).toBe(1)
  expect(stdout).toContain('line 4: StepCompleted has the key of event 4 and other content; event 4 was kept')
  expect((await keelson(['events', id, '--json'], there)).stdout).toContain('"from":"a"')
  const strict = await keelson(['log', 'import', 'run.jsonl', '--strict', '--json'], there)
  expect(strict.code).toBe(2)
  expect(strict.stdout).toContain('IDEMPOTENCY_KEY_EXISTS')
})

it('nobody drives an imported run: why, retry, fork, cancel and resume are refused with RUN_FOREIGN', async () => {
  const { text } = await readOut('s0')
  const there = folderWith({ 'run.jsonl': linesOf(text).slice(0, 5).join('\n') })
  await keelson(['log', 'import', 'run.jsonl'], there)
  expect((await keelson(['show', 'last'], there)).stdout).toContain('nobody drives it here')
  for (const args of [['why'], ['retry'], ['fork'], ['cancel'], ['pause'], ['resume'], ['signal', 'pause']]) {
    const [command = '', ...rest] = args
    const { code, stderr } = await keelson([command, 'last', ...rest], there)
    expect([command, code, stderr.split(' ')[0]]).toEqual([command, 1, 'RUN_FOREIGN'])
  }
  const resumed = await keelson(['resume'], there)
  expect(resumed.code).toBe(0)
})

it('a row that hides that its run was imported is found by verify', async () => {
  const { text, id } = await readOut('s0')
  const there = folderWith({ 'run.jsonl': text })
  await keelson(['log', 'import', 'run.jsonl'], there)
  const database = new DatabaseSync(join(there, '.keelson', 'keelson.db'))
  database.exec("UPDATE runs SET engine_type = 'embedded', steps_failed = 0")
  database.close()
  const { code, stdout } = await keelson(['verify', id], there)
  expect(code).toBe(1)
  expect(stdout).toContain('the run row says engineType embedded, its log foreign')
  expect(stdout).toContain('the run row says stepsFailed 0, its log 1')
})

it('an imported run is named by its whole id, however short, also where another id begins with it', async () => {
  const line = (runId: string): string => {
    const idempotencyKey = sha256Of(`${runId}|RUN|1|RunStarted|1.2.0`)
    return JSON.stringify({ ...seedOne('RunStarted', 0), runId, idempotencyKey })
  }
  const there = folderWith({ 'one.jsonl': line('R-1'), 'ten.jsonl': line('R-10') })
  for (const file of ['one.jsonl', 'ten.jsonl']) expect((await keelson(['log', 'import', file], there)).code).toBe(0)
  for (const id of ['R-1', 'R-10'])
    expect(jsonLines((await keelson(['show', id, '--json'], there)).stdout)[0]).toMatchObject({ runId: id })
  const short = await keelson(['show', 'R-'], there)
  expect([short.code, short.stderr.split(' ')[0]]).toEqual([2, 'USAGE'])
})

it('journal and evidence are shown and given as JSON; altered evidence is found with its line [GRF-17]', async () => {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  await keelson(['run', 'p.yaml', '--json'], folder)
  const journal = await keelson(['journal', 'last', '--since', '1h'], folder)
  expect(linesOf(journal.stdout).map((line) => line.split(/\s+/)[0])).toEqual([
    'SEQ',
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
  ])
  expect((await keelson(['journal', 'last', '--until', '1h'], folder)).stdout).toBe('nothing was stored then\n')
  expect(jsonLines((await keelson(['journal', 'last', '--json'], folder)).stdout)).toHaveLength(7)
  const shown = (await keelson(['evidence', 'last'], folder)).stdout
  expect(shown).toContain('b attempt 1: Failed (BROKEN)')
  const { stdout } = await keelson(['evidence', 'last', '--json'], folder)
  writeFileSync(join(folder, 'evidence.jsonl'), stdout)
  const whole = await keelson(['evidence', '--check', 'evidence.jsonl'], folder)
  expect([whole.code, whole.stdout]).toEqual([0, '✔ the evidence is whole   5 entries\n'])
  writeFileSync(join(folder, 'evidence.jsonl'), stdout.replace('"outcome":"Succeeded"', '"outcome":"Skipped"'))
  const altered = await keelson(['evidence', '--check', 'evidence.jsonl'], folder)
  expect([altered.code, altered.stdout]).toEqual([1, '✖ line 1 was altered\n'])
})
