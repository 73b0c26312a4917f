/** The first minutes with Temporal: a server of one's own, what is missing and what to do about it. */
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownPort } from '../setup/own-port.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { startTemporal, temporalProgram, type TemporalServer } from '../setup/temporal.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, until, type Finished, type Variables } from './command.ts'
import { startChild } from '../fixtures/child.ts'

const PLAN = 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: greet }\n'

let server: TemporalServer

beforeAll(async () => {
  await ensureBuilt()
  server = await startTemporal()
})
afterAll(async () => server?.stop())

const project = (): string => folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': 'export const greet = () => 1\n' })
const call = (folder: string, at: Variables, ...words: readonly string[]): Promise<Finished> =>
  keelson(words, folder, undefined, at)

describe('dev temporal', () => {
  const program = { KEELSON_TEMPORAL_BIN: temporalProgram() }

  it('starts a server that runs go through, keeps its data, and ends with Ctrl-C', async () => {
    const folder = project()
    const port = String(await ownPort())
    const dev = new Command(['dev', 'temporal', '--port', port, '--headless'], folder, undefined, program)
    await dev.shows(/Temporal is ready at 127\.0\.0\.1:\d+/)
    await dev.shows(new RegExp(`keelson run plan\\.yaml --engine temporal --address 127\\.0\\.0\\.1:${port}\n`))
    const ran = await keelson(['run', 'p.yaml', '--engine', 'temporal', '--address', `127.0.0.1:${port}`], folder)
    expect(ran.code).toBe(0)
    expect(readdirSync(join(folder, '.keelson'))).toContain('temporal.db')
    dev.kill('SIGINT')
    expect((await dev.finished).code).toBe(0)
    const again = await keelson(['doctor'], folder, undefined, { TEMPORAL_ADDRESS: `127.0.0.1:${port}` })
    expect(again).toMatchObject({
      code: 6,
      stdout: expect.stringMatching(/✖ temporal +TEMPORAL_CLIENT_NOT_CONNECTED/) as string,
    })
  })

  it('serves its pages unless told not to, and keeps nothing in memory', async () => {
    const folder = folderWith({})
    const [port, ui] = [await ownPort(), await ownPort()].map(String)
    const words = ['dev', 'temporal', '--port', port ?? '', '--ui-port', ui ?? '', '--in-memory', '--json']
    const dev = new Command(words, folder, undefined, program)
    await dev.shows(/"ready"/)
    expect(jsonLines(dev.stdout)).toMatchObject([{ server: 'ready', address: `127.0.0.1:${port}`, uiPort: Number(ui) }])
    await until('the pages answer', async () =>
      fetch(`http://127.0.0.1:${ui}/`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    dev.kill('SIGTERM')
    expect((await dev.finished).code).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it('says that a port is taken, or that the program is not there, with exit code 6', async () => {
    const folder = folderWith({})
    const port = server.address.split(':')[1] ?? ''
    const taken = await call(folder, program, 'dev', 'temporal', '--port', port, '--headless', '--in-memory')
    expect(taken).toMatchObject({ code: 6, stderr: expect.stringMatching(/^TEMPORAL_PORT_TAKEN .*is taken/) as string })
    const missing = await call(folder, { KEELSON_TEMPORAL_BIN: '/no/where' }, 'dev', 'temporal', '--in-memory')
    expect(missing).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^TEMPORAL_SERVER_MISSING [\s\S]*KEELSON_TEMPORAL_BIN/) as string,
    })
  })
})

describe('doctor', () => {
  it('mentions Temporal where TEMPORAL_ADDRESS is set, and only there', async () => {
    const folder = folderWith({})
    const well = await call(folder, { TEMPORAL_ADDRESS: server.address }, 'doctor')
    expect(well).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`✔ temporal       answers at ${server.address}, namespace default`) as string,
    })
    const other = await call(folder, { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'nope' }, 'doctor')
    expect(other).toMatchObject({
      code: 6,
      stdout: expect.stringMatching(/✖ temporal .*no namespace 'nope'/) as string,
    })
    expect((await call(folder, { TEMPORAL_ADDRESS: '' }, 'doctor')).stdout).not.toContain('temporal')
  })
})

it('without the SDK says what to install, and everything else works', async () => {
  const folder = project()
  const copy = folderWith({})
  for (const part of ['bin', 'dist', 'schemas', 'package.json'])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true })
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter(
    (one) => one !== '@temporalio' && !one.startsWith('.'),
  ))
    symlinkSync(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name))
  const inCopy = async (...words: readonly string[]): Promise<Finished> => {
    const child = startChild(process.execPath, [join(copy, 'bin', 'keelson.js'), ...words], { cwd: folder })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')))
    const [code] = (await once(child, 'close')) as [number]
    return { code, stdout, stderr }
  }
  const without = await inCopy('run', 'p.yaml', '--engine', 'temporal', '--address', server.address)
  expect(without).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/^ENGINE_DRIVER_MISSING [\s\S]*npm install .*@temporalio\/worker/) as string,
  })
  expect((await inCopy('run', 'p.yaml')).code).toBe(0)
})

it('on a server that was set up anew a run goes on from its log as soon as something is sent to it', async () => {
  const folder = folderWith({
    'p.yaml': PLAN.replace('greet', 'gated'),
    'keelson.steps.mjs': `import { existsSync } from 'node:fs'
export const gated = async (input, { signal }) => {
  while (!existsSync('go')) {
    if (signal.aborted) throw signal.reason
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
`,
  })
  const at = { TEMPORAL_ADDRESS: server.address, TEMPORAL_TASK_QUEUE: 'forgotten' }
  const run = new Command(['run', 'p.yaml', '--engine', 'temporal'], folder, undefined, at)
  await run.shows(/▸ a/)
  await server.kill9()
  await server.restart()
  writeFileSync(join(folder, 'go'), '')
  await until('the run has a workflow again and has ended', async () => {
    await call(folder, at, 'signal', 'last', 'resume')
    return (await call(folder, at, 'runs')).stdout.includes('COMPLETED')
  })
  expect((await run.finished).code).toBe(0)
  const events = jsonLines((await call(folder, at, 'events', 'last', '--json')).stdout)
  expect(events.filter((one) => one['eventType'] === 'StepCompleted')).toMatchObject([
    { stepId: 'a', logicalAttemptId: 1 },
  ])
  expect((await call(folder, at, 'verify', 'last')).code).toBe(0)
})
