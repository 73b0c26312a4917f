/** Refusals that hardly anybody meets, as the command and a program that has the package installed tell them. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { runChild } from '../fixtures/child.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until } from './command.ts'
import { PLAN, STEPS } from './gated-steps.ts'
import { keelsonHere } from './in-process.ts'

beforeAll(ensureBuilt)

const project = (): string => folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })

it.each([
  [['run', 'p.yaml', '--engine', 'temporl'], "'temporl' is not an engine; there are .*; did you mean 'temporal'\\?"],
  [
    ['conformance', '--engines', 'embeded,mock'],
    "'embeded' is not an engine; there are .*; did you mean 'embedded'\\?",
  ],
])('an engine that is none: %j', async (args, told) => {
  const { code, stdout, stderr } = await keelsonHere(args, project())
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(new RegExp(`^ENGINE_UNKNOWN  ${told}\\n`))
})

it('resume of a run that another process drives is RUN_DRIVEN_ELSEWHERE, and changes nothing', async () => {
  const folder = project()
  const driving = new Command(['run', 'p.yaml'], folder)
  await until('step a has begun', () => sideLines(folder).includes('a'))
  const [before] = jsonLines((await keelson(['runs', '--json'], folder)).stdout)
  const refused = await keelson(['resume', 'last'], folder)
  expect(refused).toEqual({
    code: 6,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^RUN_DRIVEN_ELSEWHERE  run ${String(before?.['runId'])} is driven by another process\n`),
    ) as string,
  })
  expect(sideLines(folder)).toEqual(['a'])
  driving.kill('SIGKILL')
  await driving.finished
})

it('a run in which nothing can happen any more ends with NOTHING_LEFT and the step that waits', async () => {
  // Some libraries let no timer keep a process alive.
  const steps = `for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name]
  globalThis[name] = (...given) => real(...given).unref()
}
export const gated = () => new Promise(() => undefined)
`
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': steps })
  const { code, stderr } = await keelson(['run', 'p.yaml', '--engine', 'mock'], folder)
  expect(code).toBe(7)
  expect(stderr).toMatch(
    /^\n?NOTHING_LEFT {2}nothing can happen any more in process \d+ \(keelson run p\.yaml\); at work were step 'a' of run [0-9a-f]{8}, attempt 1\n/,
  )
})

it('a stored plan whose text was changed is PLAN_ALTERED for `verify --store`', async () => {
  const folder = project()
  expect((await keelson(['run', 'p.yaml', '--queue'], folder)).code).toBe(0)
  const database = new DatabaseSync(join(folder, '.keelson', 'keelson.db'))
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all())
    database.exec(`DROP TRIGGER "${String(name)}"`)
  database.exec(`UPDATE plans SET text = replace(text, '"maxAttempts":3', '"maxAttempts":9')`)
  database.close()
  const { code, stdout } = await keelsonHere(['verify', '--store'], folder)
  expect(code).toBe(1)
  expect(stdout).toMatch(/PLAN_ALTERED +the plan [0-9a-f]{64}, filed as p 1\.0\.0, has the hash [0-9a-f]{64}/)
})

it('telemetry without its package is TELEMETRY_UNAVAILABLE, and nothing is opened', () => {
  const folder = folderWith({})
  const hide =
    "import { registerHooks } from 'node:module'; registerHooks({ resolve: (name, context, next) => { if (name === '@opentelemetry/api') throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' }); return next(name, context) } })"
  const program = `import { openKeelson } from ${JSON.stringify(join(ROOT, 'dist', 'main.js'))}
try { await openKeelson({ directory: 'state', telemetry: true }) } catch (error) { console.log(error.code + ' | ' + error.message) }
`
  const words = ['--import', `data:text/javascript,${encodeURIComponent(hide)}`, '--input-type=module', '-e', program]
  const { status, stdout } = runChild(process.execPath, words, { cwd: folder })
  const why = 'telemetry was asked for, but the package @opentelemetry/api is not installed'
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: `TELEMETRY_UNAVAILABLE | TELEMETRY_UNAVAILABLE: ${why}\n`,
  })
})
