/** Commands against a server: what they print is what they print where the runs are, but for the name of the place. */
import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/edge/cli/table/command-table.ts'
import { FROM_AFAR } from '../../src/edge/cli/table/from-afar.ts'
import { wordsOf } from '../../src/edge/cli/terminal/command-spec.ts'
import { Command, folderWith, jsonLines, keelson, until, type Finished } from './command.ts'

const PLAN = `
plan: order
version: 1.0.0
labels: { team: logistics }
steps:
  - { id: boxes, dependsOn: [], run: boxes }
  - { id: pack, dependsOn: [boxes], forEach: steps.boxes.output, run: pack, with: { box: '\${item}' } }
  - { id: pay, dependsOn: [pack], run: pay, retry: { maxAttempts: 2, initialBackoff: 10ms } }
  - { id: release, dependsOn: [pay], manual: { title: 'Release the order' } }
`
const STEPS = `
export const boxes = () => [1, 2]
export const pack = ({ box }) => box * 2
export const pay = ({}, { attempt }) => { if (attempt === 1) throw new Error('the bank is busy'); return { paid: true } }
`

interface Place {
  readonly folder: string
  readonly server: string
  readonly process: Command
}

async function servedFolder(plan = PLAN, variables: Readonly<Record<string, string>> = {}): Promise<Place> {
  const folder = folderWith({ 'plan.yaml': plan, 'keelson.steps.mjs': STEPS })
  const process = new Command(['dev', '.', '--port', '0'], folder, '', variables)
  const [, server = ''] = await process.shows(/ready at (http:\/\/\S+)/)
  return { folder, server, process }
}

/** The header of a picture names the place, and the clock goes on between two looks. */
function alike({ code, stdout, stderr }: Finished): Finished {
  const text = stdout
    .replaceAll(/embedded, \S+( \S+)?\n/g, 'embedded, place\n')
    .replaceAll(/ +[\d.]+ (ms|s|min)\b/g, ' time')
  return { code, stdout: text, stderr }
}

const LOOKS = [
  'runs',
  'runs --json',
  'runs --counts',
  'runs --label team=logistics --since 1h',
  'runs --label team=other',
  'runs --request-id one --json',
  'runs --correlation-id nothing',
  'runs --limit 1',
  'ps',
  'show last',
  'show last --json',
  'show last pay',
  'show last pack[1] --json',
  'why last',
  'why last release --json',
  'why last --at 3',
  'why last nothing',
  'events last',
  'events last --json',
  'events last --after 4 --as cloudevents',
  'journal last --json',
  'evidence last --json',
  'signals last',
  'signals last nothing',
  'alerts',
  'alerts last --json',
  'queue',
  'export last',
  'show nothing',
  'show 0',
]

it('behind a server that knows its callers no command that is shown has --as, and who types it is told whom the key is for', async () => {
  const plan = PLAN.replace("title: 'Release the order'", "title: 'Release the order', rule: MakerChecker")
  const folder = folderWith({ 'plan.yaml': plan, 'keelson.steps.mjs': STEPS })
  const create = async (actor: string): Promise<string> => {
    const roles = ['--tenant', 'acme', '--role', 'Operator', '--actor', actor]
    return (await keelson(['keys', 'create', ...roles], folder)).stdout.split('\n')[0] ?? ''
  }
  const keys = { ana: await create('ana'), bo: await create('bo') }
  const process = new Command(['serve', '.', '--port', '0', '--auth-keys'], folder)
  const [, server = ''] = await process.shows(/ready at (http:\/\/\S+)/)
  const say = (who: keyof typeof keys, line: string): Promise<Finished> =>
    keelson([...line.split(' '), '--server', server], folder, undefined, { KEELSON_API_KEY: keys[who] })
  expect((await say('bo', 'run --plan-id order --detach')).code).toBe(4)
  await until('it waits', async () => (await say('ana', 'tasks last')).stdout.includes('Release the order'))
  const typed = /keelson complete \S+ release --outcome Succeeded$/m
  expect((await say('ana', 'tasks last')).stdout).toMatch(typed)
  expect((await say('ana', 'why last release')).stdout).toMatch(typed)
  const complete = 'complete last release --outcome Succeeded'
  const asOther = await say('bo', `${complete} --as ana`)
  expect([asOther.code, asOther.stderr]).toEqual([
    5,
    expect.stringMatching(
      /takes you for 'bo'.* lets you act as 'ana'; leave out --as, or use the key or the login of 'ana'\n/,
    ),
  ])
  expect((await say('ana', `${complete} --as ana`)).code).toBe(0)
})

it('says of a signal that a second person has to accept that nothing is done before, and who accepts it does it', async () => {
  const { folder, server } = await servedFolder(PLAN, { KEELSON_APPROVAL_FOR: 'PAUSE,RESUME,CANCEL' })
  const say = (line: string): Promise<Finished> => keelson([...line.split(' '), '--server', server], folder)
  const waits = (word: string): RegExp =>
    new RegExp(
      `^${word} of run [0-9a-f]{8} waits for a second person; nothing is done before\\n  keelson decisions accept (\\S+)\\n$`,
    )
  await say('run --plan-id order --as bo --detach')
  const paused = await say('pause last --reason stock --as bo')
  expect([paused.code, paused.stdout]).toEqual([0, expect.stringMatching(waits('pause'))])
  const accept = async (word: string, told: string): Promise<void> =>
    void expect((await say(`decisions accept ${waits(word).exec(told)?.[1] ?? ''} --as ana`)).code).toBe(0)
  await accept('pause', paused.stdout)
  await until('it is paused', async () => (await say('runs')).stdout.includes('PAUSED'))
  expect((await say('resume last')).stdout).toMatch(waits('resume'))
  const json = jsonLines((await say('cancel last --reason stock --as bo --json')).stdout)
  expect(json).toMatchObject([
    { pending: true, approvalRequired: true, signalDecisionId: expect.any(String) as string },
  ])
  const { stdout } = await say('cancel last --reason stock --as bo')
  expect(stdout).toMatch(waits('cancel'))
  expect((await say('runs')).stdout).toContain('PAUSED')
  await accept('cancel', stdout)
  await until('it has ended', async () => (await say('runs')).stdout.includes('CANCELLED'))
})

it('compares published plans, and files with the runs of a server, from a folder that has none', async () => {
  const { folder, server } = await servedFolder()
  const next = PLAN.replace('1.0.0', '1.1.0').replace('maxAttempts: 2', 'maxAttempts: 5')
  const other = folderWith({ 'old.yaml': PLAN, 'new.yaml': next })
  const say = (line: string): Promise<Finished> => keelson([...line.split(' '), '--server', server], other)
  expect((await say('plan publish new.yaml')).code).toBe(0)
  expect((await say('run --plan-id order@1.0.0 --detach')).code).toBe(4)
  const named = await say('plan diff order@1.0.0 order@1.1.0')
  expect({ code: named.code, stderr: named.stderr }).toEqual({ code: 0, stderr: '' })
  expect(named.stdout).toMatch(/~ step pay\n {4}retry\.maxAttempts: 2 → 5\n/)
  expect(named.stdout).toMatch(/1 run of an older version goes on/)
  expect(alike(await say('plan diff old.yaml new.yaml'))).toEqual(alike(named))
  expect(alike(await keelson(['plan', 'diff', 'order@1.0.0', 'order@1.1.0'], folder))).toEqual(alike(named))
  expect(await say('plan diff order@1.0.0 order@7')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^PLAN_NOT_FOUND {2}no plan order@7 is published here\n/) as string,
  })
  expect((await keelson(['plan', 'diff', 'order', 'new.yaml'], other)).stderr).toMatch(/^FILE_NOT_FOUND/)
})

it('looks at runs of a server as it looks at runs of a folder', async () => {
  const { folder, server } = await servedFolder()
  const run = await keelson(
    ['run', '--plan-id', 'order', '--request-id', 'one', '--detach', '--server', server],
    folder,
  )
  expect(run).toMatchObject({ code: 4, stderr: '' })
  const follow = new Command(['events', 'last', '--follow', '--server', server], folder)
  await follow.shows(/ManualTaskOpened/)
  follow.kill('SIGINT')
  expect(await follow.finished).toMatchObject({ code: 4 })
  for (const line of LOOKS) {
    const here = await keelson(line.split(' '), folder)
    const afar = await keelson([...line.split(' '), '--server', server], folder)
    expect({ line, ...alike(afar) }).toEqual({ line, ...alike(here) })
  }
})

it('runs a plan file on a server, shows it to its end and proves it', async () => {
  const plan = PLAN.slice(0, PLAN.indexOf('  - { id: release'))
  const { folder, server } = await servedFolder()
  const quick = folderWith({ 'plan.yaml': plan.replace('order', 'quick') })
  const { code, stdout, stderr } = await keelson(['run', 'plan.yaml', '--server', server], quick)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^quick 1\.0\.0 {3}run [0-9a-f]{8} {3}embedded, server 127\.0\.0\.1:\d+\n/)
  expect(stdout).toMatch(/✖ pay .*attempt 1 of 2 .*"the bank is busy"/)
  expect(stdout).toMatch(/✔ completed in /)
  const json = await keelson(['run', '--plan-id', 'quick', '--json', '--server', server], quick)
  expect(jsonLines(json.stdout).at(-1)).toMatchObject({ result: { status: 'COMPLETED' } })
  const proof = await keelson(['verify', 'last', '--json', '--server', server], folder)
  expect(jsonLines(proof.stdout)).toMatchObject([{ whole: true, decisions: { follows: true } }])
})

it('steers runs of a server: a task, a pause, a cancellation, a fork, the queue', async () => {
  const { folder, server } = await servedFolder()
  const say = async (line: string, code = 0): Promise<string> => {
    const told = await keelson([...line.split(' '), '--server', server], folder)
    expect({ line, code: told.code, stderr: told.stderr }).toEqual({ line, code, stderr: '' })
    return told.stdout.replaceAll(/[0-9a-f]{8}\b/g, 'RUN')
  }
  const begun = async (): Promise<void> => {
    await say('run --plan-id order --detach', 4)
    await until('it waits for a person', async () => (await say('tasks last')).includes('Release the order'))
  }
  await begun()
  expect(await say('tasks last')).toContain(
    '  complete  keelson complete RUN release --outcome Succeeded --as <user>\n',
  )
  expect(await say('pause last --reason stock')).toMatch(/^pause taken by run RUN \(runSeq \d+\)\n$/)
  expect(await say('signal last pause')).toMatch(/^pause taken by run RUN \(runSeq \d+\); it changed nothing\n$/)
  expect(await say('resume last')).toBe('run RUN goes on in the process that drives it\n')
  expect(await say('complete last release --outcome Succeeded --as bob')).toBe('Succeeded recorded for run RUN\n')
  await until('it has ended', async () => (await say('show last')).includes('✔ completed'))
  expect(await say('signals last')).toMatch(/PAUSE +ACCEPTED +local .* stock\n/)
  await begun()
  expect(await say('cancel last --reason wrong')).toMatch(/^■ cancelled after /)
  expect(await say('fork last --preview')).toMatch(/^ {2}takes over {3}boxes, pack, pay\n {2}does again {3}release/)
  const fork = new Command(['fork', 'last', '--server', server], folder)
  await fork.shows(/waits for a person/)
  fork.kill('SIGINT')
  expect(await fork.finished).toMatchObject({ code: 4 })
  expect(await say('cancel last')).toMatch(/^■ cancelled after /)
  expect(await say('run plan.yaml --queue --needs-approval')).toContain('approve    keelson queue approve RUN')
  expect(await say('queue')).toMatch(/PENDING .* keelson queue approve RUN\n$/)
  expect(await say('queue reject last --reason dear --as ana')).toBe('run RUN is rejected\n')
  expect(await say('show last')).toContain('■ cancelled by ana, "dear", before it was approved')
})

it('says of a task behind a server why it is not this person’s, and refuses the completion with the same reason (5)', async () => {
  const plan = PLAN.replace("title: 'Release the order'", "title: 'Release the order', rule: MakerChecker")
  const { folder, server } = await servedFolder(plan)
  const say = (line: string): Promise<Finished> => keelson([...line.split(' '), '--server', server], folder)
  expect((await say('run --plan-id order --detach --as bo')).code).toBe(4)
  await until('it waits for a person', async () => (await say('tasks last')).stdout.includes('Release the order'))
  const { stdout } = await say('tasks last')
  expect(stdout).toMatch(/\n {2}may not {3}the rule of 'release' needs the name of the person/)
  expect(stdout).toContain(' release --outcome Succeeded --as <user>\n')
  expect(stdout).not.toMatch(/token|undefined/)
  const refused = await say('complete last release --outcome Succeeded --as bo')
  expect(refused).toMatchObject({ code: 5, stdout: '' })
  expect(refused.stderr).toMatch(
    /^AUTHZ_DENIED {2}bo may not complete 'release': bo started this run \(MakerChecker\)\n/,
  )
  expect((await say('complete last release --outcome Succeeded --as ana')).code).toBe(0)
})

it('says that a server is gone (6), that a key is wrong (5) and what only its own machine can do (2)', async () => {
  const { folder, server, process } = await servedFolder()
  const asked = (args: readonly string[], variables = {}): Promise<Finished> =>
    keelson([...args, '--json', '--server', server], folder, undefined, variables)
  const problemOf = ({ code, stdout }: Finished): unknown => [
    code,
    (jsonLines(stdout)[0] as { readonly problems: readonly { readonly code: string }[] }).problems[0]?.code,
  ]
  expect(problemOf(await asked(['runs'], { KEELSON_API_KEY: 'kls_wrong' }))).toEqual([5, 'NOT_AUTHENTICATED'])
  expect(problemOf(await asked(['backup', 'copy.db']))).toEqual([2, 'NOT_FROM_AFAR'])
  expect(problemOf(await asked(['run', 'plan.yaml', '--locked']))).toEqual([2, 'NOT_FROM_AFAR'])
  expect(problemOf(await asked(['verify', '--store']))).toEqual([2, 'NOT_FROM_AFAR'])
  expect(problemOf(await asked(['resume']))).toEqual([2, 'NOT_FROM_AFAR'])
  expect(problemOf(await asked(['runs', '--dir', 'other']))).toEqual([2, 'USAGE'])
  process.kill('SIGKILL')
  await process.finished
  expect(problemOf(await asked(['runs']))).toEqual([6, 'SERVER_UNREACHABLE'])
})

it('every command says what it does when a server has the runs', () => {
  expect(Object.keys(FROM_AFAR).toSorted()).toEqual(COMMANDS.map((spec) => wordsOf(spec).join(' ')).toSorted())
})
