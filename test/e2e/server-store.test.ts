/** The command on a real PostgreSQL server: several processes at once, signals, death, recovery; and what it refuses. */
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { dumpAndRestore } from '../setup/postgres.ts'
import { folderWith, jsonLines, keelson, linesOf, sideLines, until, type Finished } from './command.ts'
import { runChild } from '../fixtures/child.ts'
import { newDatabase, onServer, STEPS, PLAN, MANUAL, project, open, inStep, lastInboxRowAt } from './server-project.ts'

onServer()

describe('a run on a server', () => {
  it('is made, driven, listed, shown, explained, verified and exported; no file holds it', async () => {
    const { folder, call } = await project()
    open(folder, 'b')
    const run = await call('run', 'p.yaml')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(/embedded, postgres 127\.0\.0\.1:\d+\/cli_\d+\n[\s\S]*✔ completed in/)
    expect((await call('runs', '--counts', '--json')).stdout).toBe('{"COMPLETED":1}\n')
    expect((await call('show', 'last')).stdout).toContain('✔ completed')
    expect((await call('why', 'last')).stdout).toContain('the run is COMPLETED')
    expect((await call('verify', 'last')).stdout).toMatch(/^✔ the log is whole {3}run [0-9a-f]{8}, 9 events/)
    expect((await call('export', 'last', '--out', 'run.jsonl')).code).toBe(0)
    expect((await keelson(['verify', 'run.jsonl'], folder)).code).toBe(0)
    expect((await call('resources', 'set', 'gpu', '--capacity', '2')).code).toBe(0)
    expect((await call('resources')).stdout).toContain('resource:gpu')
    expect((await call('fork', 'last')).code).toBe(0)
    expect((await call('doctor')).stdout).toMatch(
      /✔ database {7}postgres .*durable, 2 runs[\s\S]*⚠ role +postgres owns the tables/,
    )
    expect((await call('erase', 'last', '--reason', 'request 4711', '--yes')).code).toBe(0)
    expect((await call('archive', '--older-than', '0s')).stdout).toContain('2 runs archived')
    expect((await keelson(['runs'], folder)).stderr).toMatch(/^STORE_NOT_FOUND {2}there is no \.keelson/)
  })

  it('is named by --store before KEELSON_STORE', async () => {
    const [one, other] = [await project(), await project()]
    open(one.folder, 'b')
    expect((await one.call('run', 'p.yaml', '--store', other.url)).code).toBe(0)
    expect(linesOf((await other.call('runs', '--json')).stdout)).toHaveLength(1)
    expect((await one.call('runs')).stderr).toMatch(/^STORE_NOT_FOUND .* has no runs/)
  })

  it('shares its database with another terminal: both complete, neither drives the other one’s', async () => {
    const { folder, begin, call } = await project()
    const runs = [begin('run', 'p.yaml'), begin('run', 'p.yaml')]
    await until('both are in step b', () => sideLines(folder).filter((line) => line === 'b 1').length === 2)
    open(folder, 'b')
    expect((await Promise.all(runs.map(({ finished }) => finished))).map(({ code }) => code)).toEqual([0, 0])
    expect([...sideLines(folder)].sort()).toEqual(['a 1', 'a 1', 'b 1', 'b 1', 'c 1', 'c 1'])
    expect((await call('runs', '--counts', '--json')).stdout).toBe('{"COMPLETED":2}\n')
  })

  it('killed in the middle of a step is resumed by another process; what was done is not done again', async () => {
    const { folder, begin, call } = await project()
    const first = begin('run', 'p.yaml')
    await inStep(folder, 'b 1')
    first.kill('SIGKILL')
    await first.finished
    const { code, stdout } = await call('resume', '--json')
    expect(code).toBe(0)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ result: { status: 'COMPLETED' } })
    expect(sideLines(folder)).toEqual(['a 1', 'b 1', 'b 2', 'c 1'])
    expect((await call('verify', 'last')).code).toBe(0)
  })

  it('takes a signal from a third process while a fourth follows its log, and says why it waits', async () => {
    const { folder, url, begin, call } = await project()
    const run = begin('run', 'p.yaml')
    await inStep(folder, 'b 1')
    const following = begin('events', 'last', '--follow', '--json')
    await following.shows(/StepStarted/)
    const paused = await call('signal', 'last', 'pause', '--reason', 'stock count', '--json')
    const [answer] = jsonLines(paused.stdout)
    expect(answer).toMatchObject({ eventType: 'SignalAccepted', payload: { signalType: 'PAUSE', applied: true } })
    const took = Date.parse(String(answer?.['emittedAt'])) - (await lastInboxRowAt(url))
    process.stdout.write(`a signal from another process was taken ${took} ms after it was in the inbox\n`)
    open(folder, 'b')
    await run.shows(/✔ b /)
    expect((await call('why', 'last', 'c')).stdout).toMatch(
      /c has not started, because\n.*paused by local.*"stock count"/,
    )
    expect((await call('signal', 'last', 'resume')).stdout).toMatch(/^resume taken by run/)
    expect((await run.finished).code).toBe(0)
    const seen = await following.finished
    expect(seen.code).toBe(0)
    const log = (await call('events', 'last', '--json')).stdout
    expect(linesOf(seen.stdout)).toEqual(linesOf(log))
  })
})

it('whoever names no server loads neither its driver nor its code', async () => {
  const { folder } = await project()
  const tell =
    "import { registerHooks } from 'node:module'; import { writeSync } from 'node:fs'; registerHooks({ load: (url, context, next) => (writeSync(2, url + '\\n'), next(url, context)) })"
  const loaded = (...args: readonly string[]): string =>
    runChild(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(tell)}`, join(ROOT, 'bin', 'keelson.js'), ...args],
      { cwd: folder },
    ).stderr
  open(folder, 'b')
  expect((await keelson(['run', 'p.yaml'], folder)).code).toBe(0)
  for (const args of [['--help'], ['runs'], ['show', 'last']]) {
    expect(loaded(...args)).toContain('/dist/edge/cli/main.js')
    expect(loaded(...args)).not.toMatch(/stores\/postgres|node_modules\/pg/)
  }
  const { url } = await project()
  expect(loaded('run', 'p.yaml', '--store', url)).toMatch(/stores\/postgres[\s\S]*node_modules\/pg/)
})

describe('manual tasks on a server', () => {
  it('are refused without keys that were named for all, and then nothing is started [P-35]', async () => {
    const { call } = await project({ 'm.yaml': MANUAL })
    const refused = await call('run', 'm.yaml')
    expect(refused).toMatchObject({ code: 6, stdout: '' })
    expect(refused.stderr).toMatch(/^KEYS_NOT_CONFIGURED {2}step 'release' of m waits for a person.*\n.*--keys-dir/)
    expect((await call('runs')).stdout).toBe('no runs yet\n')
    expect((await call('tasks', '--keys-dir', 'nowhere')).stderr).toMatch(
      /^FILE_NOT_FOUND {2}there is no folder nowhere/,
    )
  })

  it('are listed and completed by any process that has the same keys [P-35]', async () => {
    const { folder, begin, call } = await project({ 'm.yaml': MANUAL })
    mkdirSync(join(folder, 'keys'), { mode: 0o700 })
    const keys = ['--keys-dir', 'keys']
    const run = begin('run', 'm.yaml', ...keys)
    await run.shows(/waits for a person/)
    const [task] = jsonLines((await call('tasks', '--json', ...keys)).stdout)
    const token = String(task?.['token'])
    expect((await call('tasks')).stderr).toMatch(/^KEYS_NOT_CONFIGURED/)
    const done = await call('complete', 'last', token, '--outcome', 'Succeeded', '--as', 'ana', ...keys)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect((await run.finished).code).toBe(0)
    expect((await call('verify', 'last', ...keys)).stdout).toMatch(/receipts {9}start and end anchored/)
  })
})

describe('after a restore', () => {
  it('recover raises what was in flight; an irreversible step is told, held, and not done again until a person says so', async () => {
    const plan = PLAN.replace('run: gated }', 'run: gated, effect: irreversible }')
    const { folder, url, begin } = await project({ 'p.yaml': plan })
    const first = begin('run', 'p.yaml')
    await inStep(folder, 'b 1')
    const copy = await newDatabase()
    await dumpAndRestore(url, copy)
    open(folder, 'b')
    expect((await first.finished).code).toBe(0)
    rmSync(join(folder, 'side.txt'))
    const restored = (...args: readonly string[]): Promise<Finished> => keelson([...args, '--store', copy], folder)
    expect(await restored('recover')).toMatchObject({ code: 2, stderr: expect.stringMatching(/--yes/) as string })
    const recovered = await restored('recover', '--yes')
    expect(recovered.stdout).toMatch(
      /^✔ recovered {3}1 run not ended, 1 with work in flight\n! run .* b, attempt 1, may have/,
    )
    expect((await restored('resume')).code).toBe(4)
    expect(sideLines(folder)).toEqual([])
    expect((await restored('signal', 'last', 'skip-step', '--step', 'b', '--reason', 'it happened')).code).toBe(0)
    expect((await restored('resume')).code).toBe(0)
    expect(sideLines(folder)).toEqual(['c 1'])
  })

  it('backup and restore of files are refused, with what to use instead', async () => {
    const { call } = await project()
    expect((await call('run', 'p.yaml', '--queue')).code).toBe(0)
    for (const name of ['backup', 'restore']) {
      const { code, stdout, stderr } = await call(name, 'b.db')
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^BACKUP_ELSEWHERE {2}.*\n.*pg_basebackup.*keelson recover/)
    }
  })
})

describe('a server that cannot be used is told in one message, exit code 6, without the password', () => {
  const CANARY = 'canary-7f3a'

  async function refusal(store: string, ...more: readonly string[]): Promise<string> {
    const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
    const { code, stdout, stderr } = await keelson(['run', 'p.yaml', ...more], folder, '', { KEELSON_STORE: store })
    expect(code).toBe(6)
    expect(stdout + stderr).not.toContain(CANARY)
    if (more.length === 0) expect(linesOf(stderr)).toHaveLength(2)
    return stderr
  }

  const withUser = (user: string, url: string): string => url.replace('postgres@', `${user}:${CANARY}@`)

  it('away', async () => {
    expect(await refusal(`postgres://me:${CANARY}@127.0.0.1:1/none`)).toMatch(
      /^STORE_UNAVAILABLE {2}The database 127\.0\.0\.1:1\/none did not answer/,
    )
  })

  it('with a wrong password, a wrong user, or no such database', async () => {
    const { url } = await project()
    const admin = new Client({ connectionString: url })
    await admin.connect()
    await admin.query(`CREATE ROLE guest LOGIN PASSWORD 'another'`)
    await admin.end()
    expect(await refusal(withUser('guest', url))).toMatch(
      /^STORE_ACCESS_DENIED {2}.* refused the password .*\n.*pgpass/,
    )
    expect(await refusal(withUser('guest', url), '--debug')).toMatch(/^STORE_ACCESS_DENIED[\s\S]*\n\s+at /)
    expect(await refusal(withUser('nobody', url))).toMatch(/^STORE_ACCESS_DENIED/)
    expect(await refusal(url.replace(/cli_\d+/, 'nowhere'))).toMatch(/^STORE_NOT_FOUND {2}.*\/nowhere does not exist/)
  })

  it('with an address that is none: it is not repeated', async () => {
    const folder = folderWith({})
    for (const store of [`mysql://me:${CANARY}@db/x`, `${CANARY}`, `postgres://me:${CANARY}@:nan/x`]) {
      const { code, stdout, stderr } = await keelson(['runs', '--store', store], folder)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^USAGE {2}--store or KEELSON_STORE must be an address/)
      expect(stderr).not.toContain(CANARY)
    }
  })

  it('with a password that is right, it is nowhere in what is shown', async () => {
    const { folder, url } = await project()
    const admin = new Client({ connectionString: url })
    await admin.connect()
    await admin.query(`CREATE ROLE owner LOGIN PASSWORD '${CANARY}'`)
    await admin.query(`GRANT CREATE ON DATABASE ${new URL(url).pathname.slice(1)} TO owner`)
    await admin.end()
    open(folder, 'b')
    for (const args of [['run', 'p.yaml'], ['show', 'last'], ['doctor'], ['show', 'nothing', '--debug']]) {
      const { stdout, stderr } = await keelson([...args, '--store', withUser('owner', url)], folder)
      expect(stdout + stderr).not.toContain(CANARY)
      expect(stdout + stderr).toMatch(/cli_\d+|RUN_NOT_FOUND/)
    }
  })

  it('without the driver: what to install', () => {
    const folder = folderWith({})
    for (const name of ['bin', 'dist', 'package.json'])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true })
    mkdirSync(join(folder, 'node_modules'))
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    for (const name of Object.keys(dependencies)) {
      mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true })
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
    }
    const args = [join(folder, 'bin', 'keelson.js'), 'runs', '--store', `postgres://me:${CANARY}@127.0.0.1:1/x`]
    const { status, stdout, stderr } = runChild(process.execPath, args, { cwd: folder })
    expect({ status, stdout }).toEqual({ status: 6, stdout: '' })
    expect(linesOf(stderr)).toEqual([
      expect.stringMatching(/^STORE_DRIVER_MISSING {2}.*npm install pg$/),
      '  Install it beside keelson: npm install pg',
    ])
  })
})
