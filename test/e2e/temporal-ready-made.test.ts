/**
 * The workflow code that a build carries ready-made: workers of the built package bundle nothing, whoever has another version of the SDK
 * gets a bundle of that version, and the recorded histories are replayed by what is carried.
 */
import { cpSync, globSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { readyMadeName } from '../../src/adapters/engines/temporal/worker/workflow-bundle.ts'
import { runChild } from '../fixtures/child.ts'
import { testFolder } from '../fixtures/folder.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { ensureBuilt } from './built.ts'
import { folderWith } from './command.ts'

const SANDBOX = join('dist', 'adapters', 'engines', 'temporal', 'sandbox')
const PLAN = 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: one }\n'
const STEPS = 'export const one = () => 1\n'
/** The bundler's compiler, which is loaded when something is bundled. */
const COMPILER = /loaded \S*\/webpack\/lib\/Compiler\.js/
const TELL =
  "import { registerHooks } from 'node:module'; import { writeSync } from 'node:fs'; registerHooks({ load: (url, context, next) => (writeSync(2, `loaded ${url}\\n`), next(url, context)) })"

let server: TemporalServer
beforeAll(async () => {
  await ensureBuilt()
  server = await startTemporal()
})
afterAll(async () => server?.stop())

function runWith(keelson: string): {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
} {
  const cwd = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  const preload = `data:text/javascript,${encodeURIComponent(TELL)}`
  const words = ['--import', preload, join(keelson, 'bin', 'keelson.js'), 'run', 'p.yaml', '--engine', 'temporal']
  return runChild(process.execPath, words, { cwd, env: { ...process.env, TEMPORAL_ADDRESS: server.address } })
}

it('a worker of the built package bundles nothing', () => {
  const { status, stdout, stderr } = runWith(ROOT)
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('✔ completed') as string })
  expect(stderr).not.toMatch(COMPILER)
})

it('a worker with another version of the SDK than the build was made with bundles for itself', () => {
  const other = testFolder()
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, name), join(other, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(other, 'node_modules'))
  const sandbox = join(other, SANDBOX)
  renameSync(join(sandbox, readyMadeName()), join(sandbox, readyMadeName().replaceAll('1.', '0.')))
  const { status, stdout, stderr } = runWith(other)
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('✔ completed') as string })
  expect(stderr).toMatch(COMPILER)
})

it('the build carries one bundle, for the installed SDK, which names no place of the machine it was made on', () => {
  const made = globSync(join(ROOT, SANDBOX, 'workflow-bundle-*.js'))
  expect(made.map((path) => basename(path))).toEqual([readyMadeName()])
  const code = readFileSync(made[0] ?? '', 'utf8')
  expect([code.includes('keelsonRun'), code.includes(ROOT)]).toEqual([true, false])
})

it('the recorded histories are replayed by the bundle that the build carries [TMP-04]', async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined) })
  const workflowBundle = { codePath: join(ROOT, SANDBOX, readyMadeName()) }
  const files = globSync(join(ROOT, 'test', 'golden', 'temporal', '*.json'))
  const histories = files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as readonly Recorded[])
  expect(histories.length).toBeGreaterThanOrEqual(files.length)
  for (const { workflowId, history } of histories)
    await expect(Worker.runReplayHistory({ workflowBundle }, history, workflowId)).resolves.toBeUndefined()
})

interface Recorded {
  readonly workflowId: string
  readonly history: { readonly events: readonly object[] }
}
