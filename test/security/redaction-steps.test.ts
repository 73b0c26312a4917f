/** Steps of every kind that repeat a secret where their output is cut, in other processes, and for other runs to see. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadPlan, openKeelson, type OpenOptions } from '../../src/main.ts'
import { folderWith } from '../e2e/command.ts'
import { secretsOf } from '../fixtures/known-secrets.ts'

const SECRET = 'canary-4eC39HqLyjWDarjtT1zdp7dc'
const HALF = /canary-4eC|zdp7dc/
const secrets = secretsOf(() => SECRET)
const step = (rest: string): string =>
  `plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, retry: { maxAttempts: 1 }, secrets: { KEY: "secret://k" }, ${rest} }\noutput: "\${steps.a.output}"\n`

async function recorded(text: string, options: OpenOptions): Promise<string> {
  const lines: string[] = []
  const keelson = await openKeelson({ directory: ':memory:', secrets, log: (line) => lines.push(line), ...options })
  const run = await keelson.start(loadPlan(text))
  const result = await run.result()
  const records = await run.records()
  await keelson.close()
  return JSON.stringify([result, records, lines])
}

it.each([
  ['stdout', 0, '', 65_536],
  ['stderr', 0, 'tail', 65_536],
  ['stderr', 1, 'tail', 2_048],
])(
  'a program that writes it over the cut of %s (exit code %d) shows no half of it [SEC-03]',
  async (to, code, end, limit) => {
    for (const within of [1, 10, 20, SECRET.length - 1]) {
      const [before, after] = end === 'tail' ? [limit, limit - within] : [limit - within, limit]
      const script = `process.${to}.write('.'.repeat(${before}) + process.env.KEY + '.'.repeat(${after}), () => process.exit(${code}))`
      const plan = step(`command: { argv: [${JSON.stringify(process.execPath)}, "-e", ${JSON.stringify(script)}] }`)
      const shown = await recorded(plan, { commands: true })
      expect(shown).toContain('***')
      expect([within, HALF.exec(shown)]).toEqual([within, null])
    }
  },
)

it('a server that repeats it over the cut of its answer shows no half of it [SEC-03]', async () => {
  let within = 0
  const server = createServer((request, response) => {
    response.writeHead(500).end(`${'.'.repeat(500 - within)}${String(request.headers['key'])}${'.'.repeat(5000)}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  for (within of [1, 10, 20, SECRET.length - 1]) {
    const plan = step(`http: { url: "http://127.0.0.1:${port}/" }`)
    const shown = await recorded(plan, { egress: { allow: [`127.0.0.1:${port}`] } })
    expect(shown).toContain('answered 500')
    expect([within, HALF.exec(shown), shown.includes('***')]).toEqual([within, null, true])
  }
})

it.each(['thread', 'process'])(
  'a function in a %s of its own shows none of it: result, error, cause [SEC-03]',
  async (where) => {
    const folder = folderWith({
      'steps.mjs': `const b64 = (s) => Buffer.from('x' + s).toString('base64')
export const give = (input, { secrets }) => ({ plain: secrets.KEY, list: [...Buffer.from(secrets.KEY)], b: b64(secrets.KEY) })
export const fail = (input, { secrets }) => { throw new Error(JSON.stringify(JSON.stringify({ s: secrets.KEY })), { cause: new Error(secrets.KEY) }) }
`,
    })
    const module = join(folder, 'steps.mjs')
    const steps = (await import(module)) as OpenOptions['steps']
    for (const name of ['give', 'fail']) {
      const shown = await recorded(step(`run: ${name}, isolation: ${where}`), {
        steps: steps ?? {},
        stepsModule: module,
      })
      expect([name, shown.includes('***'), shown.includes(SECRET), shown.includes('99,97,110,97,114,121')]).toEqual([
        name,
        true,
        false,
        false,
      ])
      expect(shown).not.toContain(Buffer.from(`x${SECRET}`).toString('base64').slice(4, -4))
    }
  },
)

it('a run shows what another run’s secret is as if it were none, and cannot learn by masks that it is one [SEC-04]', async () => {
  let letGo: (() => void) | undefined
  const inFlight = new Promise<void>((resolve) => (letGo = resolve))
  await using keelson = await openKeelson({
    directory: ':memory:',
    secrets,
    steps: { hold: () => inFlight, guess: () => ({ guess: `is it ${SECRET}?` }) },
  })
  const holder = await keelson.start(loadPlan(step('run: hold')))
  const other = await keelson.start(
    loadPlan('plan: q\nversion: 1.0.0\nsteps: [{ id: a, run: guess }]\noutput: "${steps.a.output}"\n'),
  )
  expect(await other.result()).toMatchObject({ output: { guess: `is it ${SECRET}?` } })
  letGo?.()
  await holder.result()
})

it('the first secret of a run is masked after 1,500 others came, in what a later step of it says [SEC-03]', async () => {
  let kept = ''
  let asked = 0
  await using keelson = await openKeelson({
    directory: ':memory:',
    secrets: {
      resolve: async (refs) =>
        new Map(refs.map((ref) => [ref, { value: `value-number-${(asked += 1)}-`, version: '1' }])),
    },
    steps: {
      keep: (_input: never, { secrets: given }) => void (kept ||= given['KEY'] ?? ''),
      use: () => 1,
      tell: () => ({ kept }),
    },
  })
  const run = await keelson.start(
    loadPlan(`plan: p
version: 1.0.0
steps:
  - { id: a, run: keep, secrets: { KEY: "secret://k" } }
  - { id: b, manual: { title: wait } }
  - { id: c, run: tell }
output: "\${steps.c.output}"
`),
  )
  const many = loadPlan('plan: q\nversion: 1.0.0\nsteps: [{ id: a, run: use, secrets: { KEY: "secret://k" } }]\n')
  for (let at = 0; at < 1500; at += 50)
    await Promise.all(Array.from({ length: 50 }, async () => (await keelson.start(many)).result()))
  const [task] = await run.tasks()
  await run.completeTask({ completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'ana' })
  expect(await run.result()).toMatchObject({ status: 'COMPLETED', output: { kept: '***' } })
  expect([kept, asked]).toEqual(['value-number-1-', 1501])
})
