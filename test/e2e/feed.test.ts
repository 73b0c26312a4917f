/** `keelson feed` and `keelson engines`, where the runs are and against a server: the same lines, the same exit codes. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openKeelson, type Keelson } from '../../src/main.ts'
import { Command, folderWith, jsonLines, keelson, until, type Finished } from './command.ts'

const PLAN = 'plan: order\nversion: 1.0.0\nsteps:\n  - { id: pack, run: pack }\n'
const STEPS = 'export const pack = () => 1\n'

/** A folder with a run, whose events `mail` and `a/b` could not take. */
async function folderWithDeadLetters(): Promise<string> {
  const folder = folderWith({ 'plan.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  expect((await keelson(['run', 'plan.yaml'], folder)).code).toBe(0)
  await followed(folder, () => {
    throw new Error('the post \u001b[31mis away')
  })
  return folder
}

async function followed(folder: string, handler: () => void): Promise<void> {
  const program: Keelson = await openKeelson({ directory: join(folder, '.keelson'), adopt: false })
  try {
    for (const name of ['mail', 'a/b']) {
      const options = { maxAttempts: 1, pollMs: 3_600_000, onProblem: () => undefined }
      const subscription = program.subscribe(name, handler, options)
      await subscription.drain()
      await subscription.stop()
    }
  } finally {
    await program.close()
  }
}

async function served(folder: string): Promise<string> {
  const server = new Command(['dev', '.', '--port', '0'], folder)
  const [, url = ''] = await server.shows(/ready at (http:\/\/\S+)/)
  return url
}

const codeOf = ({ code, stdout }: Finished): unknown => [
  code,
  (jsonLines(stdout)[0] as { readonly problems: readonly { readonly code: string }[] }).problems[0]?.code,
]

it('lists followers and dead letters, shows one, has it redelivered and drops another with a reason, here and against a server', async () => {
  const folder = await folderWithDeadLetters()
  const here = (...args: readonly string[]): Promise<Finished> => keelson(['feed', ...args], folder)
  const url = await served(folder)
  const afar = (...args: readonly string[]): Promise<Finished> => keelson(['feed', ...args, '--server', url], folder)
  const [first, second] = jsonLines((await here('dead-letters', 'mail', '--json')).stdout)
  const [one, two] = [String(first?.['letterId']), String(second?.['letterId'])]
  for (const line of [
    [],
    ['--json'],
    ['dead-letters', 'mail'],
    ['dead-letters', 'a/b', '--json'],
    ['dead-letters', 'tenant:5:local/a/b', '--limit', '2'],
    ['dead-letters', 'mail', one],
    ['dead-letters', 'mail', '999-999'],
    ['dead-letters', 'nobody'],
    ['drop', 'mail', one],
    ['drop', 'mail', one, '--reason', 'whatever', '--yes'],
    ['drop', 'mail', one, '--reason', 'not-needed'],
    ['redeliver', 'mail', '--id', 'nonsense'],
  ]) {
    const told = await here(...line)
    expect({ line, ...(await afar(...line)) }).toEqual({ line, ...told })
  }
  const list = (await here()).stdout
  expect(list).toMatch(/^SUBSCRIBER +RUNS BEHIND +EVENTS +OLDEST +FAILING +DEAD\n/)
  expect(list).toMatch(/\na\/b +0 +0 +0 +\d+\nmail +0 +0 +0 +\d+\n$/)
  expect((await here('dead-letters', 'mail')).stdout).toContain('the post  [31mis away\n')
  expect((await here('dead-letters', 'mail', one)).stdout).toMatch(/^RunApproved +event 1 of run \S+, tenant local\n/)
  expect(codeOf(await here('dead-letters', 'mial', '--json'))).toEqual([2, 'SUBSCRIBER_NOT_FOUND'])
  expect(codeOf(await afar('dead-letters', 'mail', '999-999', '--json'))).toEqual([2, 'DEAD_LETTER_NOT_FOUND'])
  // Asked for here and afar; whoever follows delivers both.
  expect((await here('redeliver', 'mail', '--id', one)).stdout).toBe(
    '1 dead letter will be delivered once more, by whoever follows as mail\n',
  )
  expect(jsonLines((await afar('redeliver', 'a/b', '--json')).stdout)).toEqual([
    { subscriber: 'tenant:5:local/a/b', asked: jsonLines((await here('dead-letters', 'a/b', '--json')).stdout).length },
  ])
  await followed(folder, () => undefined)
  expect(jsonLines((await here('dead-letters', 'mail', '--json')).stdout)[0]).toMatchObject({ letterId: two })
  expect((await here('dead-letters', 'a/b')).stdout).toBe('a/b has no dead letters\n')
  // Dropped here and afar: both are in the audit log.
  const dropped = await here('drop', 'mail', two, '--reason', 'not-needed', '--yes')
  expect(dropped.stdout).toMatch(/^dropped: event 2 of run \w{8}, because the subscriber does not need it any more\n$/)
  const third = String(jsonLines((await here('dead-letters', 'mail', '--json')).stdout)[0]?.['letterId'])
  expect((await afar('drop', 'mail', third, '--reason', 'never-taken', '--yes', '--json')).code).toBe(0)
  const drops = await until('both are recorded', async () => {
    const { records } = (await (await fetch(`${url}/v1/audit`)).json()) as {
      readonly records: readonly { readonly record: string }[]
    }
    const found = records
      .map(({ record }) => JSON.parse(record) as Readonly<Record<string, unknown>>)
      .filter(({ call }) => call === 'dropDeadLetter')
    return found.length === 2 && found
  })
  expect(drops.map(({ actorId, target, because }) => [actorId, target, because])).toEqual([
    ['local', `tenant:5:local/mail ${two}`, 'NOT_NEEDED'],
    ['local', `tenant:5:local/mail ${third}`, 'NEVER_TAKEN'],
  ])
  expect((await keelson(['verify', '--audit'], folder)).stdout).toContain('the audit log of local is whole')
})

it('tells of engines what a server tells', async () => {
  const folder = await folderWithDeadLetters()
  const told = await keelson(['engines'], folder)
  expect(told.stdout).toMatch(/^ENGINE .*\nembedded +ready, for new runs +0 +10000 +15 capabilities\n$/)
  expect(jsonLines((await keelson(['engines', '--json'], folder)).stdout)).toMatchObject([
    { engine: 'embedded', isStandard: true, ready: true, runsInFlight: 0 },
  ])
  const url = await served(folder)
  expect(await keelson(['engines', '--server', url], folder)).toEqual(told)
  const bare = await keelson(['engines', '--json'], folderWith({}))
  expect(codeOf(bare)).toEqual([6, 'STORE_NOT_FOUND'])
})
