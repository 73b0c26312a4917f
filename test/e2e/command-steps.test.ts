/** `command` steps through the library's front door: switched on, they run programs; switched off, they are refused. */
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { loadPlan, openKeelson, type OpenOptions } from '../../src/main.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, keelson as runCommand, sideLines, until } from './command.ts'

beforeAll(ensureBuilt)

const planOf = (steps: string) => loadPlan(`plan: p\nversion: 1.0.0\n${steps}`)

async function ran(steps: string, input: unknown = {}, options: OpenOptions = {}) {
  await using keelson = await openKeelson({ directory: ':memory:', commands: true, ...options })
  const handle = await keelson.start(planOf(steps), input)
  return { result: await handle.result(), records: await handle.records() }
}

it('its fields may hold expressions; its output is how it ended and what it wrote', async () => {
  const { result } = await ran(
    `output: "\${steps.a.output}"
steps:
  - id: a
    command:
      argv: [sh, -c, 'cat; printf " %s %s" "$NAME" "$1" >&2', sh, "\${input.count}"]
      env: { NAME: "\${input.name}" }
      stdin: { from: "\${input.name}" }`,
    { name: 'Ada; rm -rf /', count: 3 },
  )
  expect(result.output).toEqual({
    exitCode: 0,
    stdout: '{"from":"Ada; rm -rf /"}',
    stderr: ' Ada; rm -rf / 3',
    json: { from: 'Ada; rm -rf /' },
  })
})

it('without stdin it reads its input, as JSON', async () => {
  const { result } = await ran(
    `output: "\${steps.a.output.json.order}"
steps: [{ id: a, with: { order: "\${input.order}" }, command: { argv: [cat] } }]`,
    { order: ['A', 1] },
  )
  expect(result.output).toEqual(['A', 1])
})

it('another exit code than 0 fails the attempt with the end of stderr, and is tried again', async () => {
  const noise = 'x'.repeat(5_000)
  const { result, records } = await ran(
    `steps:
  - id: a
    retry: { maxAttempts: 2, initialBackoffMs: 1 }
    command: { argv: [sh, -c, 'echo "$1" >&2; echo the reason >&2; exit 9', sh, "\${input.noise}"] }`,
    { noise },
  )
  expect(result).toMatchObject({ status: 'FAILED', error: { code: 'COMMAND_FAILED' } })
  expect(result.error?.message).toMatch(/sh ended with exit code 9: x{2000,}\nthe reason$/)
  expect(result.error?.message?.length).toBeLessThan(2_200)
  expect(records.filter(({ eventType }) => eventType === 'StepFailed')).toHaveLength(2)
})

it('a program that is not there fails the step at once', async () => {
  const { records } = await ran(`steps: [{ id: a, command: { argv: [no-such-program-anywhere] } }]`)
  const failed = records.filter(({ eventType }) => eventType === 'StepFailed')
  expect(failed.map(({ payload }) => payload?.['error'])).toMatchObject([
    { code: 'COMMAND_NOT_STARTED', retryable: false },
  ])
})

it('a process that starts no programs refuses such a plan before it starts, wherever in it the command stands', async () => {
  await using keelson = await openKeelson({ directory: ':memory:', steps: { f: () => 1 } })
  for (const steps of [
    'steps: [{ id: a, command: { argv: [ls] } }]',
    'steps: [{ id: a, run: f, fallback: { command: { argv: [ls] } } }]',
    'steps: [{ id: a, run: f, compensate: { command: { argv: [ls] } } }]',
  ]) {
    await expect(keelson.start(planOf(steps))).rejects.toMatchObject({ code: 'COMMANDS_OFF' })
  }
  expect((await keelson.list({}, { limit: 10 })).runs).toEqual([])
})

it('dbt steps are refused by name', async () => {
  await using keelson = await openKeelson({ directory: ':memory:', commands: true })
  const started = keelson.start(planOf('steps: [{ id: a, dbt: { project: . } }]'))
  await expect(started).rejects.toMatchObject({ code: 'NO_HANDLER', message: expect.stringContaining('dbt') as string })
})

it('a secret of the step is the variable of its name, and what the program says of it is masked', async () => {
  const secrets = {
    resolve: async () => new Map([['secret://vault/key', { value: 'hunter2-and-more', version: '1' }]]),
  }
  const { result } = await ran(
    `output: "\${steps.a.output.stdout}"
steps: [{ id: a, secrets: { KEY: secret://vault/key }, command: { argv: [sh, -c, 'echo "$KEY" | wc -c; echo "$KEY"'] } }]`,
    {},
    { secrets },
  )
  expect(result.output).toMatch(/^\s*17\n/)
  expect(result.output).not.toContain('hunter2')
})

it('a cancel ends the program and all it started', async () => {
  const folder = folderWith({})
  await using keelson = await openKeelson({ directory: ':memory:', commands: { cwd: folder } })
  const handle = await keelson.start(
    planOf(`steps: [{ id: a, command: { argv: [sh, -c, 'sleep 600 & echo $! > side.txt; wait'] } }]`),
  )
  await until('the program is at work', () => sideLines(folder).length === 1)
  await handle.signal('CANCEL', { reason: 'enough' })
  expect(await handle.result()).toMatchObject({ status: 'CANCELLED' })
  await until('its child is gone', () => !isAlive(Number(sideLines(folder)[0])))
})

it('the time limit of an attempt ends the program', async () => {
  const folder = folderWith({})
  const { result } = await ran(
    `steps: [{ id: a, timeoutMs: 1500, retry: { maxAttempts: 1 }, command: { argv: [sh, -c, 'echo $$ > side.txt; exec sleep 600'] } }]`,
    {},
    { commands: { cwd: folder } },
  )
  expect(result).toMatchObject({ error: { code: 'TIMEOUT' } })
  const pid = Number(sideLines(folder)[0])
  expect(pid).toBeGreaterThan(0)
  await until('the program is gone', () => !isAlive(pid))
})

it('the attempt after one that ran out of time does not meet its program [RTY-06]', async () => {
  const folder = folderWith({})
  const script =
    'mkdir lock || exit 7; trap "sleep 0.3; rmdir lock; exit 1" TERM; [ -f again ] && { rmdir lock; exit 0; }; touch again; sleep 600 & wait'
  const { result, records } = await ran(
    `steps: [{ id: a, timeoutMs: 1500, retry: { maxAttempts: 2, initialBackoffMs: 1 }, command: { argv: [sh, -c, "\${input.script}"] } }]`,
    { script },
    { commands: { cwd: folder } },
  )
  const failed = records.filter(({ eventType }) => eventType === 'StepFailed')
  expect(failed.map(({ payload }) => payload?.['error'])).toMatchObject([{ code: 'TIMEOUT' }])
  expect(result.status).toBe('COMPLETED')
})

const PLAN = `plan: p
version: 1.0.0
steps:
  - id: a
    command: { argv: [sh, -c, 'read go; pwd > where.txt; echo $$ >> side.txt; exec sleep 600'], stdin: "go\\n" }
`

it('keelson run starts programs in the folder of the plan, and killed by force it leaves none behind', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN })
  const elsewhere = folderWith({})
  const running = new Command(['run', join(folder, 'plan.yaml')], elsewhere)
  const pid = await until('the program is at work', () => sideLines(folder)[0])
  running.kill('SIGKILL')
  await running.finished
  await until('the program is gone', () => !isAlive(Number(pid)))
  const resumed = new Command(['resume'], elsewhere)
  await until('the program runs again, in the same folder', () => sideLines(folder).length === 2)
  const again = Number(sideLines(folder)[1])
  resumed.kill('SIGKILL')
  await resumed.finished
  await until('the program is gone again', () => !isAlive(again))
  expect(readFileSync(join(folder, 'where.txt'), 'utf8').trim()).toBe(realpathSync(folder))
})

it('keelson run says where in the plan a dbt step stands', async () => {
  const folder = folderWith({ 'plan.yaml': 'plan: p\nversion: 1.0.0\nsteps:\n  - id: a\n    dbt: { project: . }\n' })
  const { code, stderr } = await runCommand(['run', 'plan.yaml'], folder)
  expect(code).toBe(2)
  expect(stderr).toMatch(/NO_HANDLER[\s\S]*dbt/)
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
