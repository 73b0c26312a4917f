/** The HTTP mash-up runs as its page says, with the services it brings, and no proxy of the environment sees a request. */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { loopback } from '../fixtures/loopback.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson, until } from './command.ts'
import { startChild } from '../fixtures/child.ts'

const EXAMPLE = join(ROOT, 'examples', 'http-mashup')
const PLAN = join(EXAMPLE, 'plan.yaml')

beforeAll(ensureBuilt)

const started: ChildProcess[] = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

async function services(): Promise<string> {
  const child = startChild(process.execPath, [join(EXAMPLE, 'services.mjs'), '0'])
  started.push(child)
  let said = ''
  child.stdout.on('data', (part: Buffer) => (said += part.toString('utf8')))
  return until('the services listen', () => /listening on (\S+)\n/.exec(said)?.[1])
}

it('http-mashup retries what is busy, asks once per order, sorts and adds up', async () => {
  const args = ['run', PLAN, '--set', `base=${await services()}`, '--allow-host', '127.0.0.1']
  const { code, stdout, stderr } = await keelson(args, folderWith({}))
  expect(code).toBe(0)
  // It lies outside the folder one stands in, so what it can touch is said first, and nothing else.
  expect(stderr).toMatch(/^What it can touch\n(  (hosts|programs|functions|code) .*\n){4}$/)
  expect(stdout).toMatch(/✖ rate .*HTTP_503[\s\S]*✔ rate /)
  expect(stdout).toContain('{"quotes":[14,80,240],"total":"334 EUR"}')
})

it('without --allow-host it is refused, and the run can be forked once the host is named', async () => {
  const folder = folderWith({})
  const base = await services()
  const refused = await keelson(['run', PLAN, '--set', `base=${base}`], folder)
  expect(refused.code).toBe(1)
  expect(refused.stdout).toMatch(/EGRESS_REFUSED/)
  const forked = await keelson(['fork', 'last', '--allow-host', '127.0.0.1', '--json'], folder)
  expect(jsonLines(forked.stdout).at(-1)).toMatchObject({ result: { status: 'COMPLETED' } })
  const again = await keelson(['fork', 'last', '--from', 'orders', '--json'], folder)
  expect(jsonLines(again.stdout).at(-1)).toMatchObject({ result: { status: 'COMPLETED' } })
})

it('proxy variables of the environment are not followed', async () => {
  const proxy = await loopback((_asked, response) => response.end())
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'])
    vi.stubEnv(name, proxy.url)
  vi.stubEnv('NO_PROXY', '')
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  const args = ['run', PLAN, '--set', `base=${await services()}`, '--allow-host', '127.0.0.1']
  const { code } = await keelson(args, folderWith({}))
  expect(code).toBe(0)
  expect(proxy.asked).toEqual([])
})

it('a host that is no host is wrong usage', async () => {
  const { code, stderr } = await keelson(['run', PLAN, '--set', 'base=x', '--allow-host', 'http://a'], folderWith({}))
  expect(code).toBe(2)
  expect(stderr).toMatch(/EGRESS_ALLOW_INVALID/)
})
