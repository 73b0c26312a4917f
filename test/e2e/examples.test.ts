/** Every example runs as its README says, through the real command. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { startChild } from '../fixtures/child.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, linesOf, until } from './command.ts'

const example = (name: string): string => join(ROOT, 'examples', name, 'plan.yaml')

beforeAll(ensureBuilt)

it('each example has a plan, its steps and a page', () => {
  for (const name of readdirSync(join(ROOT, 'examples'))) {
    const has = (file: string): boolean => existsSync(join(ROOT, 'examples', name, file))
    expect(['plan.yaml', 'README.md'].filter((file) => !has(file))).toEqual([])
    expect(has('keelson.steps.ts') || has('worker.py')).toBe(true)
  }
})

describe('hello', () => {
  it('retries, fans out, skips by condition, and ends with its output and exit code 0', async () => {
    const folder = folderWith({})
    const { code, stdout, stderr } = await keelson(['run', example('hello'), '--trust'], folder)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^hello 1\.0\.0 {3}run [0-9a-f]{8} {3}embedded, \.keelson\/keelson\.db\n/)
    expect(stdout).toMatch(
      /✖ dictionary {2}\d+ ms {2}attempt 1 of 3 {2}HTTP_503 {2}"the dictionary is busy" {2}retries in/,
    )
    expect(stdout).toMatch(/✔ dictionary {2}\d+ ms {2}attempt 2 of 3/)
    expect(linesOf(stdout).filter((line) => /✔ translate\[\d\]/.test(line))).toHaveLength(6)
    expect(stdout).toMatch(/○ shout {2}skipped: its condition is false/)
    expect(stdout).toMatch(
      /✔ completed in \d\.\d s\n {2}output {5}\{"greeting":"hello, bonjour, hallo, hej, olá, hei, world!"\}\n/,
    )
  })

  it('takes its input from --input and --set, standard input included', async () => {
    const folder = folderWith({})
    const args = ['run', example('hello'), '--input', '-', '--set', 'loud=true', '--json']
    const { code, stdout } = await keelson(args, folder, '{"name":"Ada","languages":["fr"]}')
    expect(code).toBe(0)
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      result: { status: 'COMPLETED', output: { greeting: 'BONJOUR, Ada!' } },
    })
  })
})

it('order-saga fails with exit code 1, names the cause, and undoes in reverse order', async () => {
  const folder = folderWith({})
  const { code, stdout } = await keelson(['run', example('order-saga')], folder)
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /✖ failed after .* {3}ship {2}WAREHOUSE_FULL {2}"dock 3 is full" {2}\(not retryable\)\n {2}undone {5}charge, reserve\n/,
  )
  expect(stdout).toMatch(/↩ charge undone[\s\S]*↩ reserve undone/)
  const fixed = await keelson(['run', example('order-saga'), '--set', 'dockFull=false', '--json'], folder)
  expect(jsonLines(fixed.stdout).at(-1)).toMatchObject({
    result: { status: 'COMPLETED', output: { tracking: 'T-R-A-17' } },
  })
})

describe('etl', () => {
  it('is what the first command of README runs', () => {
    const [, command] = /```sh\n(.*)\n```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? []
    expect(command).toBe('npm ci && npx keelson run examples/etl/plan.yaml')
  })

  const summary = {
    rows: 93,
    batches: 12,
    rejected: 3,
    byRegion: { north: 17899.5, east: 15493.8, west: 12339.3, south: 12305.2 },
  }

  it('loads in batches, retries the ones that were refused, and sums up what fits', async () => {
    const folder = folderWith({})
    const { code, stdout, stderr } = await keelson(['run', example('etl'), '--trust'], folder)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const batch of [1, 4, 7, 10]) {
      expect(stdout).toMatch(
        new RegExp(`✖ load\\[${batch}\\] .*attempt 1 of 4 {2}HTTP_503 {2}"the warehouse is busy" {2}retries in`),
      )
      expect(stdout).toMatch(new RegExp(`✔ load\\[${batch}\\] .*attempt 2 of 4`))
    }
    expect(linesOf(stdout).filter((line) => /✔ load\[\d+\]/.test(line))).toHaveLength(12)
    const output = JSON.parse(/ output +(\{.*\})/.exec(stdout)?.[1] ?? '{}') as Readonly<Record<string, unknown>>
    expect(output).toMatchObject(summary)
    const [, sha256 = ''] = /^artifact:sha256:([0-9a-f]{64})/.exec(String(output['report'])) ?? []
    const kept = join(folder, '.keelson', 'artifacts', 'tenants', 'local')
    const report = readFileSync(join(kept, sha256), 'utf8')
    expect(linesOf(report)).toEqual(['region,amount', 'north,17899.5', 'east,15493.8', 'west,12339.3', 'south,12305.2'])
    // Twelve batches and the report; what was tried twice is stored once.
    expect(readdirSync(kept).filter((name) => /^[0-9a-f]{64}$/.test(name))).toHaveLength(13)
  })

  it('killed half-way, goes on and loads no batch a second time', async () => {
    const folder = folderWith({})
    const first = new Command(['run', example('etl')], folder)
    await first.shows(/✔ load\[2\]/)
    first.kill('SIGKILL')
    await first.finished
    const { code, stdout } = await keelson(['resume', '--json'], folder)
    expect(code).toBe(0)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ result: { status: 'COMPLETED', output: summary } })
    const { stdout: events } = await keelson(['events', 'last', '--json'], folder)
    const loaded = jsonLines(events).filter(
      (one) => one['eventType'] === 'StepCompleted' && one['itemIndex'] !== undefined,
    )
    expect(loaded.map((one) => Number(one['itemIndex'])).sort((a, b) => a - b)).toEqual([...Array(12).keys()])
  })
})

it('approval waits for a person; who started it may not release it, somebody else may', async () => {
  const folder = folderWith({})
  const waiting = new Command(['run', example('approval'), '--as', 'bo'], folder)
  await waiting.shows(/release {2}waits for a person/)
  const { stdout: listed } = await keelson(['tasks', '--json'], folder)
  expect(jsonLines(listed)).toMatchObject([{ slot: 'release', title: 'Release the payment' }])
  const complete = ['complete', 'last', 'release', '--outcome', 'Succeeded']
  expect(await keelson(complete, folder)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(
      "PERSON_NOT_NAMED  the rule of 'release' needs the name of the person who completes 'release'",
    ) as string,
  })
  const own = await keelson([...complete, '--as', 'Bo'], folder)
  expect(own.code).toBe(5)
  expect(own.stderr).toMatch(/AUTHZ_DENIED {2}Bo may not complete 'release': bo started this run \(MakerChecker\)/)
  const other = await keelson([...complete, '--as', 'ana', '--notes', 'compared with the invoice'], folder)
  expect(other.code).toBe(0)
  const { code, stdout } = await waiting.finished
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('{"receipt":"paid 4200"}') as string })
})

it('long-wait survives the death of its process, and what was done before is not done again', async () => {
  const folder = folderWith({})
  const waitMs = 2_000
  const first = new Command(['run', example('long-wait'), '--set', `waitMs=${waitMs}`], folder)
  await first.shows(/cool-off {2}waits/)
  first.kill('SIGKILL')
  await first.finished
  const why = await keelson(['why', 'last', 'cool-off'], folder)
  expect(why.stdout).toMatch(/cool-off/)
  const { code, stdout } = await keelson(['resume', '--json'], folder)
  expect(code).toBe(0)
  const { result } = jsonLines(stdout).at(-1) as { readonly result: { readonly output: { readonly waitedMs: number } } }
  expect(result.output.waitedMs).toBeGreaterThanOrEqual(waitMs)
  const { stdout: events } = await keelson(['events', 'last', '--json'], folder)
  const started = jsonLines(events).filter((one) => one['eventType'] === 'StepStarted')
  expect(started.map((one) => one['stepId'])).toEqual(['order', 'cool-off', 'confirm'])
})

it('child-plans starts a run per order from the plan file beside it', async () => {
  const folder = folderWith({})
  const { code, stdout } = await keelson(['run', example('child-plans')], folder)
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('parcel of A-3, packed') as string,
  })
  const { stdout: listed } = await keelson(['runs', '--json'], folder)
  const plans = jsonLines(listed).map((row) => `${String(row['planId'])} ${String(row['status'])}`)
  expect(plans.sort()).toEqual([...Array<string>(3).fill('fulfil-order COMPLETED'), 'fulfil-all COMPLETED'].sort())
})

it('the plan of the first guide runs as it is written there', async () => {
  const guide = readFileSync(join(ROOT, 'docs', 'guides', 'first-plan.md'), 'utf8')
  const block = (language: string): string =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? ''
  const folder = folderWith({ 'plan.yaml': block('yaml'), 'keelson.steps.mts': block('ts') })
  const { code, stdout } = await keelson(['run', 'plan.yaml', '--set', 'name=Ada'], folder)
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('{"greeting":"hello, Ada"}') as string })
})

it('python-worker counts in Python, goes on after its server was killed, and stops gently', async () => {
  const folder = folderWith({ 'plan.yaml': readFileSync(example('python-worker'), 'utf8') })
  const serve = async (port: string): Promise<{ readonly server: Command; readonly url: string }> => {
    const server = new Command(['serve', '--port', port, '--json'], folder)
    const [, url = ''] = await server.shows(/"server":"ready","url":"([^"]+)"/)
    return { server, url }
  }
  const first = await serve('0')
  const { url } = first
  const worker = startChild('python3', [join(ROOT, 'examples/python-worker/worker.py'), url], { cwd: folder })
  const ranges = [1, 2, 3, 4].map((n) => ({ from: n * 20_000, to: (n + 1) * 20_000 - 1 }))
  const body = JSON.stringify({ planId: 'primes', input: { ranges } })
  const headers = { 'content-type': 'application/json' }
  const started = await fetch(`${url}/v1/executions`, { method: 'POST', headers, body })
  const { executionId } = (await started.json()) as { readonly executionId: string }
  await until('a worker has asked', async () =>
    (await (await fetch(`${url}/v1/workers`)).text()).includes('count_primes'),
  )
  first.server.kill('SIGKILL')
  await first.server.finished
  const second = await serve(new URL(url).port)
  const state = (): Promise<{ readonly status: string; readonly output?: unknown }> =>
    fetch(`${second.url}/v1/executions/${executionId}`).then((answer) => answer.json() as never)
  await until('it has ended', async () => (await state()).status === 'COMPLETED')
  expect((await state()).output).toEqual({ primes: 7_330 })
  const events = await (await fetch(`${second.url}/v1/executions/${executionId}/events?limit=1000`)).text()
  expect(events.match(/"eventType":"StepCompleted"/g)).toHaveLength(6)
  const { stdout } = await keelson(['workers', '--json'], folder)
  expect(jsonLines(stdout)).toMatchObject([{ queues: ['python'], handlers: ['count_primes', 'add_up'], build: '1' }])
  const shown = await keelson(['workers', '--server', second.url], folder)
  expect(shown.stdout).toMatch(
    /^WORKER +AS +QUEUES +FUNCTIONS +LAST ASKED +BUILD\n\S+ +\S+ +python +count_primes add_up +\S+Z +1\n$/,
  )
  const gone = new Promise((resolve) => worker.once('exit', resolve))
  worker.kill('SIGTERM')
  expect(await gone).toBe(0)
})
