/** A plan from somewhere else, before anybody has said that they trust it: looking at it runs nothing of it. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/edge/cli/table/command-table.ts'
import { wordsOf } from '../../src/edge/cli/terminal/command-spec.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, jsonLines, keelson, linesOf } from '../e2e/command.ts'

beforeAll(ensureBuilt)

const PLAN = `plan: thanks
version: 1.0.0
inputs: { type: object, properties: { host: { type: string } } }
steps:
  - id: fetch
    http: { url: "https://api.example.com:8443/v1/\${input.host}" }
    secrets: { authorization: secret://API_TOKEN }
  - id: tricked
    http: { url: "https://api.example.com\${input.host}/x" }
  - id: look
    command: { argv: [sh, -c, "id"], env: { LD_PRELOAD: ./x.so } }
  - id: git
    command: { argv: [git, status], cwd: sub }
    fallback: { command: { argv: ["\${input.host}"] } }
  - id: tool
    command: { argv: [./tool], cwd: sub }
  - id: pay
    run: stock.pay
    effect: irreversible
  - id: child
    plan: { planId: kid, planVersion: 2.0.0 }
  - id: ok
    manual: { title: "really?" }
`
const KID = 'plan: kid\nversion: 2.0.0\nsteps: [{ id: call, http: { url: "http://127.0.0.1/" } }]\n'
const RUNS = "import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')\n"
const STEPS = `${RUNS}export const stock = { pay: () => 1 }\n`

describe('looking at a plan', () => {
  it.each(['keelson.steps.mjs', 'keelson.steps.js', 'keelson.steps.mts', 'keelson.steps.ts'])(
    'plan check runs nothing of the %s beside it',
    async (name) => {
      const folder = folderWith({ 'plan.yaml': PLAN, 'kid.yaml': KID, [name]: STEPS })
      expect(await keelson(['plan', 'check', 'plan.yaml'], folder)).toMatchObject({ code: 0, stderr: '' })
      expect(existsSync(join(folder, 'ran'))).toBe(false)
    },
  )

  it('plan check runs nothing of a steps file that is named, linked, broken or endless', async () => {
    const folder = folderWith({ 'plan.yaml': PLAN, 'kid.yaml': KID, 'elsewhere.mjs': STEPS })
    expect((await keelson(['plan', 'check', 'plan.yaml', '--steps', 'elsewhere.mjs'], folder)).code).toBe(0)
    symlinkSync('elsewhere.mjs', join(folder, 'keelson.steps.ts'))
    expect((await keelson(['plan', 'check', 'plan.yaml'], folder)).code).toBe(0)
    writeFileSync(join(folder, 'broken.mjs'), `${STEPS}\nexport const {{{`)
    expect((await keelson(['plan', 'check', 'plan.yaml', '--steps', 'broken.mjs'], folder)).code).toBe(0)
    symlinkSync('/dev/zero', join(folder, 'endless.mjs'))
    expect((await keelson(['plan', 'check', 'plan.yaml', '--steps', 'endless.mjs'], folder)).code).toBe(0)
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('plan check still tells which function is missing, without running the file', async () => {
    const steps = `${RUNS}export const stock = { pat: () => 1 }\n`
    const folder = folderWith({ 'plan.yaml': PLAN, 'kid.yaml': KID, 'keelson.steps.mjs': steps })
    const { code, stderr } = await keelson(['plan', 'check', 'plan.yaml'], folder)
    expect([code, linesOf(stderr)[0]]).toEqual([
      2,
      "plan.yaml:18:10  NO_HANDLER  keelson.steps.mjs has no function 'stock.pay'",
    ])
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('a plan that is a program is not run by any command that looks at plans', async () => {
    const folder = folderWith({ 'plan.yaml': KID, 'plan.ts': RUNS, 'plan.mjs': RUNS })
    for (const file of ['plan.ts', 'plan.mjs'])
      for (const words of [
        ['check', file],
        ['compile', file],
        ['graph', file],
        ['diff', 'plan.yaml', file],
      ]) {
        const { code, stderr } = await keelson(['plan', ...words], folder)
        expect([code, stderr]).toEqual([2, expect.stringContaining(`USAGE  ${file} is code`)])
      }
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('no command runs a steps file but those that drive runs', async () => {
    const folder = folderWith({ 'plan.yaml': PLAN, 'kid.yaml': KID })
    writeFileSync(join(folder, 'quiet.yaml'), 'plan: quiet\nversion: 1.0.0\nsteps: [{ id: a, wait: { forMs: 1 } }]\n')
    expect((await keelson(['run', 'quiet.yaml'], folder)).code).toBe(0)
    writeFileSync(join(folder, 'keelson.steps.mjs'), STEPS)
    const drives = [
      'run',
      'resume',
      'migrate',
      'queue start',
      'fork',
      'signal',
      'worker',
      'serve',
      'dev',
      'dev temporal',
      'conformance',
    ]
    const given: Readonly<Record<string, readonly string[]>> = {
      '<file>': ['plan.yaml'],
      '<run>': ['last'],
      '<old>': ['quiet.yaml'],
      '<new>': ['plan.yaml'],
      '<workflow>': ['plan.yaml'],
      '<name>': ['gpu'],
      '<shell>': ['bash'],
      '<task>': ['a'],
    }
    for (const spec of COMMANDS) {
      const words = wordsOf(spec)
      if (drives.includes(words.join(' '))) continue
      const args = spec.use.split(' ').flatMap((word) => given[word] ?? [])
      await keelson([...words, ...args], folder)
      expect([spec.use, existsSync(join(folder, 'ran'))]).toEqual([spec.use, false])
    }
  })
})

describe('what a plan can touch', () => {
  it('is listed for a person: hosts, programs, variables, secrets, plans, code, and what is for good', async () => {
    const folder = folderWith({ 'plan.yaml': PLAN, 'kid.yaml': KID, 'keelson.steps.mjs': STEPS })
    const { stdout } = await keelson(['plan', 'check', 'plan.yaml'], folder)
    const from = linesOf(stdout).indexOf('What it can touch')
    expect(linesOf(stdout).slice(from)).toEqual([
      'What it can touch',
      '  hosts       api.example.com:8443   step fetch',
      '              any of them            step tricked   ! an expression says which',
      '              127.0.0.1              step call',
      '  programs    sh                     step look   ! it can start any other program',
      '              git                    step git',
      '              any of them            step git   ! an expression says which',
      '              sub/tool               step tool',
      '  variables   LD_PRELOAD             step look',
      '  secrets     API_TOKEN              step fetch',
      '  plans       kid@2.0.0              step child, not pinned',
      '  functions   stock.pay              step pay, keelson.steps.mjs',
      '  for good    cannot be undone       step pay',
      '  people      are asked              step ok',
      '  code        can do anything        step pay   ! read it first',
    ])
  })

  it('is listed for a program, each plan with its own', async () => {
    const folder = folderWith({ 'plan.yaml': PLAN, 'kid.yaml': KID, 'keelson.steps.mjs': STEPS })
    const [plan, kid] = jsonLines((await keelson(['plan', 'check', 'plan.yaml', '--json'], folder)).stdout)
    expect(plan?.['touches']).toEqual({
      hosts: [
        { name: 'api.example.com:8443', steps: ['fetch'] },
        { name: '*', any: true, steps: ['tricked'] },
      ],
      programs: [
        { name: 'sh', steps: ['look'], startsOthers: true },
        { name: 'git', steps: ['git'] },
        { name: '*', any: true, steps: ['git'] },
        { name: 'sub/tool', steps: ['tool'] },
      ],
      variables: [{ name: 'LD_PRELOAD', steps: ['look'] }],
      secrets: [{ name: 'API_TOKEN', steps: ['fetch'] }],
      plans: [{ name: 'kid@2.0.0', steps: ['child'] }],
      functions: [{ name: 'stock.pay', steps: ['pay'] }],
      irreversible: ['pay'],
      people: ['ok'],
      stepsFile: 'keelson.steps.mjs',
    })
    expect(kid).toMatchObject({ planId: 'kid', touches: { hosts: [{ name: '127.0.0.1', steps: ['call'] }] } })
  })
})

describe('before the first start of a plan from elsewhere', () => {
  const SMALL = 'plan: small\nversion: 1.0.0\nsteps: [{ id: a, command: { argv: ["true"] } }]\n'

  it('what it can touch is listed where nobody can be asked, once; one’s own plan asks nothing', async () => {
    const elsewhere = folderWith({ 'plan.yaml': SMALL })
    const own = folderWith({ 'own.yaml': SMALL.replace('small', 'own') })
    const first = await keelson(['run', join(elsewhere, 'plan.yaml')], own)
    expect([first.code, linesOf(first.stderr)]).toEqual([0, ['What it can touch', '  programs   true   step a']])
    expect((await keelson(['run', join(elsewhere, 'plan.yaml')], own)).stderr).toBe('')
    expect(await keelson(['run', 'own.yaml'], own)).toMatchObject({ code: 0, stderr: '' })
  })

  it('a link in one’s own folder to a plan elsewhere is a plan from elsewhere', async () => {
    const elsewhere = folderWith({ 'plan.yaml': SMALL })
    const own = folderWith({})
    symlinkSync(join(elsewhere, 'plan.yaml'), join(own, 'mine.yaml'))
    expect((await keelson(['run', 'mine.yaml'], own)).stderr).toContain('What it can touch')
  })

  it('a plan in the work tree one stands in is one’s own, also above the folder', async () => {
    const own = folderWith({ 'plan.yaml': SMALL })
    mkdirSync(join(own, '.git'))
    mkdirSync(join(own, 'below'))
    expect(await keelson(['run', '../plan.yaml'], join(own, 'below'))).toMatchObject({ code: 0, stderr: '' })
  })

  it('who asks for a review where nobody can answer is refused, and nothing of the plan ran', async () => {
    const own = folderWith({ 'plan.yaml': PLAN, 'kid.yaml': KID, 'keelson.steps.mjs': STEPS })
    const { code, stderr } = await keelson(['run', 'plan.yaml', '--review'], own)
    expect([code, /USAGE {2}nobody can be asked here: say --trust, or --locked/.test(stderr)]).toEqual([2, true])
    expect([existsSync(join(own, 'ran')), existsSync(join(own, '.keelson'))]).toEqual([false, false])
  })
})
