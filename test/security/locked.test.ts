/** `keelson run --locked`: nothing but what was named, judged before the start and again at the act, by every process that drives it. */
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson } from '../../src/main.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, jsonLines, keelson, linesOf } from '../e2e/command.ts'

beforeAll(ensureBuilt)

const servers: Server[] = []
afterEach(() => {
  for (const one of servers.splice(0)) one.close()
})

/** Answers with its path, or sends elsewhere; tells what it was asked. */
async function server(redirectTo?: string): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = []
  const made = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (redirectTo === undefined) response.end(JSON.stringify('here'))
    else response.writeHead(302, { location: redirectTo }).end()
  })
  servers.push(made)
  await new Promise<void>((resolve) => void made.listen(0, '127.0.0.1', resolve))
  return { port: (made.address() as AddressInfo).port, asked }
}

const ONCE = 'policy: { retry: { maxAttempts: 1 } }\n'
const planText = (steps: string): string => `plan: p\nversion: 1.0.0\n${ONCE}steps:\n${steps}`
const RUNS = "import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')\nexport const pay = () => 1\n"

const errorOf = (stdout: string): unknown =>
  (jsonLines(stdout).findLast((line) => 'result' in line)?.['result'] as { error?: { code: string } })?.error?.code

describe('before a locked run starts', () => {
  it('everything that is missing is told at once, with the flags that would allow it, and no code was loaded', async () => {
    const steps = `  - { id: fetch, http: { url: "https://api.example.com/x" }, secrets: { authorization: secret://TOKEN } }
  - { id: tool, command: { argv: [git, status], env: { PATH: /tmp } } }
  - { id: pay, run: pay, effect: irreversible }
  - { id: child, plan: { planId: kid } }
`
    const kid = 'plan: kid\nversion: 1.0.0\nsteps: [{ id: any, command: { argv: ["${input.x}"] } }]\n'
    const folder = folderWith({ 'p.yaml': planText(steps), 'kid.yaml': kid, 'keelson.steps.mjs': RUNS })
    const { code, stdout } = await keelson(['run', 'p.yaml', '--locked', '--json'], folder)
    expect(code).toBe(5)
    expect(jsonLines(stdout)[0]?.['problems']).toMatchObject([
      {
        code: 'RUN_LOCKED',
        hint: 'to allow all of it: --allow-host=api.example.com --allow-program=git --allow-env=PATH --allow-secret=TOKEN --allow-plan=kid --allow-code --allow-irreversible --allow-program=…',
      },
    ])
    expect([existsSync(join(folder, 'ran')), existsSync(join(folder, '.keelson'))]).toEqual([false, false])
  })

  it('what was named for a lock is refused without one: nobody believes in a lock that is not there', async () => {
    const folder = folderWith({ 'p.yaml': planText('  - { id: a, wait: { forMs: 1 } }\n') })
    const { code, stderr } = await keelson(['run', 'p.yaml', '--allow-program=git'], folder)
    expect([code, linesOf(stderr)[0]]).toEqual([
      2,
      'USAGE  --allow-program goes with --locked; without it all of them are open',
    ])
  })

  it('a steps file beside a plan that calls none of it is not loaded', async () => {
    const folder = folderWith({ 'p.yaml': planText('  - { id: a, wait: { forMs: 1 } }\n'), 'keelson.steps.mjs': RUNS })
    expect((await keelson(['run', 'p.yaml', '--locked'], folder)).code).toBe(0)
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it.each([
    ['a host below the one named', 'http: { url: "https://evil.api.example.com/" }', '--allow-host=api.example.com'],
    ['another port', 'http: { url: "https://api.example.com:8443/" }', '--allow-host=api.example.com:443'],
    ['a program by a path', 'command: { argv: [./git] }', '--allow-program=git'],
    ['a program of another folder', 'command: { argv: [./git], cwd: sub }', '--allow-program=./git'],
    [
      'a variable that changes which program is found',
      'command: { argv: [git], env: { PATH: . } }',
      '--allow-program=git',
    ],
    [
      'what undoes a step',
      'http: { url: "https://a.b/" }, compensate: { command: { argv: [rm] } }',
      '--allow-host=a.b',
    ],
    [
      'what stands in for a step',
      'http: { url: "https://a.b/" }, fallback: { command: { argv: [rm] } }',
      '--allow-host=a.b',
    ],
  ])('%s is not what was allowed', async (_name, action, flag) => {
    const folder = folderWith({ 'p.yaml': planText(`  - { id: a, ${action} }\n`) })
    const { stdout, code } = await keelson(['run', 'p.yaml', '--locked', flag, '--json'], folder)
    expect([code, jsonLines(stdout)[0]?.['problems']]).toMatchObject([5, [{ code: 'RUN_LOCKED' }]])
  })
})

describe('at the act', () => {
  it('a program that an expression names is refused unless it was allowed', async () => {
    const plan = planText('  - { id: a, command: { argv: ["${input.x}", made] } }\n')
    const folder = folderWith({ 'p.yaml': plan })
    const run = (x: string) =>
      keelson(['run', 'p.yaml', '--locked', '--allow-program=true', '--set', `x="${x}"`, '--json'], folder)
    expect(errorOf((await run('touch')).stdout)).toBe('RUN_LOCKED')
    expect(existsSync(join(folder, 'made'))).toBe(false)
    expect((await run('true')).code).toBe(0)
  })

  it('a host that an expression names, and one that a redirect names, are not reached unless allowed', async () => {
    const target = await server()
    const door = await server(`http://localhost:${target.port}/stolen`)
    const plan = planText('  - { id: a, http: { url: "http://${input.to}/x" } }\n')
    const folder = folderWith({ 'p.yaml': plan })
    const run = (to: string, ...allowed: readonly string[]) =>
      keelson(
        ['run', 'p.yaml', '--locked', ...allowed.map((one) => `--allow-host=${one}`), '--set', `to="${to}"`, '--json'],
        folder,
      )
    expect(errorOf((await run(`127.0.0.1:${target.port}`, `127.0.0.1:${door.port}`)).stdout)).toBe('EGRESS_REFUSED')
    expect(errorOf((await run(`127.0.0.1:${door.port}`, `127.0.0.1:${door.port}`)).stdout)).toBe('EGRESS_REFUSED')
    expect([door.asked, target.asked]).toEqual([['/x'], []])
    expect((await run(`127.0.0.1:${door.port}`, `127.0.0.1:${door.port}`, 'localhost')).code).toBe(0)
    expect(target.asked).toEqual(['/stolen'])
  })

  it('a child is locked as its parent is, though nobody had its plan when the parent began', async () => {
    await using open = await openKeelson({ directory: ':memory:', commands: true })
    await open.publish(loadPlan('plan: kid\nversion: 1.0.0\nsteps: [{ id: c, command: { argv: [touch, x] } }]\n'))
    const parent = loadPlan(planText('  - { id: child, plan: { planId: kid } }\n'))
    const run = await open.start(parent, {}, { locked: { plans: ['kid'] } })
    expect((await run.result()).status).toBe('FAILED')
    const records = await run.records()
    expect(records.find(({ eventType }) => eventType === 'StepFailed')?.payload).toMatchObject({
      error: { code: 'RUN_LOCKED' },
    })
    await expect(open.start(parent, {}, { locked: {} })).rejects.toMatchObject({
      problems: [{ code: 'RUN_LOCKED', hint: 'to allow all of it: --allow-plan=kid' }],
    })
  })
})

describe('a lock outlives the process', () => {
  const waiting = planText(
    '  - { id: go, manual: { title: go } }\n  - { id: a, command: { argv: ["${input.x}", made] } }\n',
  )

  it('another process that resumes the run, without any flag and without its notes, keeps it and loads no code', async () => {
    const folder = folderWith({ 'p.yaml': waiting })
    const queued = await keelson(
      ['run', 'p.yaml', '--locked', '--allow-program=true', '--set', 'x="touch"', '--queue', '--json'],
      folder,
    )
    expect(queued.code).toBe(0)
    writeFileSync(join(folder, 'keelson.steps.mjs'), RUNS)
    await keelson(['queue', 'start'], folder)
    expect((await keelson(['complete', 'last', 'go', '--outcome', 'Succeeded'], folder)).code).toBe(0)
    const { stdout } = await keelson(['resume', '--json'], folder)
    expect(errorOf(stdout)).toBe('RUN_LOCKED')
    const forked = await keelson(['fork', 'last', '--json'], folder)
    expect(errorOf(forked.stdout)).toBe('RUN_LOCKED')
    expect([existsSync(join(folder, 'made')), existsSync(join(folder, 'ran'))]).toEqual([false, false])
  })

  it('on SQLite the lock is in the first event, and verify follows it', async () => {
    const folder = folderWith({})
    const directory = join(folder, '.keelson')
    const start = async (open: Keelson) =>
      open.start(loadPlan(waiting), { x: 'true' }, { runId: 'r', locked: { programs: ['true', 'true'] } })
    {
      await using open = await openKeelson({ directory, commands: true })
      await start(open)
    }
    await using open = await openKeelson({ directory, commands: true, adopt: false })
    const [first] = await (await open.run('r')).records()
    expect(first?.payload?.['locked']).toEqual({
      hosts: [],
      programs: ['true'],
      variables: [],
      secrets: [],
      plans: [],
      code: false,
      irreversible: false,
    })
    const proof = await open.maintenance.verify((await open.run('r')).row)
    expect([proof.chain.broken, proof.decisions?.follows]).toEqual([undefined, true])
    await expect(open.start(loadPlan(waiting), { x: 'true' }, { runId: 'r' })).rejects.toThrow('with a lock')
    expect((await start(open)).existed).toBe(true)
  })
})

describe('what the command line leaves closed without a lock', () => {
  it('secrets come from variables made for them, or from those that were named [SEC-04]', async () => {
    const plan = planText(
      '  - { id: a, command: { argv: [sh, -c, "test -n \\"$T\\" && printf ok"] }, secrets: { T: secret://OWN_TOKEN } }\n',
    )
    const folder = folderWith({ 'p.yaml': plan })
    const run = (variables: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
      keelson(['run', 'p.yaml', '--json', ...flags], folder, '', variables)
    expect(errorOf((await run({ OWN_TOKEN: 'of the shell' })).stdout)).toBe('SECRET_NOT_FOUND')
    expect((await run({ KEELSON_SECRET_OWN_TOKEN: 'made for it' })).code).toBe(0)
    expect((await run({ OWN_TOKEN: 'of the shell' }, '--allow-secret=OWN_TOKEN')).code).toBe(0)
    expect((await run({ OWN_TOKEN: 'of the shell' }, '--allow-secret=*')).code).toBe(0)
    expect(errorOf((await run({ OWN_TOKEN: 'of the shell' }, '--allow-secret=OTHER')).stdout)).toBe('SECRET_NOT_FOUND')
  })

  it('programs can be off for a process, by a flag or a variable', async () => {
    const folder = folderWith({ 'p.yaml': planText('  - { id: a, command: { argv: [touch, made] } }\n') })
    for (const [flags, variables] of [
      [['--no-commands'], {}],
      [[], { KEELSON_COMMANDS: 'off' }],
    ] as const) {
      const { stdout } = await keelson(['run', 'p.yaml', '--json', ...flags], folder, '', variables)
      expect(jsonLines(stdout)[0]?.['problems']).toMatchObject([{ code: 'COMMANDS_OFF' }])
    }
    expect(existsSync(join(folder, 'made'))).toBe(false)
    expect((await keelson(['run', 'p.yaml'], folder)).code).toBe(0)
  })
})
