/** What plans of a server may reach and use, as its settings say: private hosts, programs, variables with secrets; and receipts of its runs. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { loopback } from '../fixtures/loopback.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, until, type Variables } from './command.ts'

beforeAll(ensureBuilt)

const planOf = (id: string, step: string): string =>
  `plan: ${id}\nversion: 1.0.0\nsteps:\n  - { id: a, retry: { maxAttempts: 1 }, ${step} }\noutput: "\${steps.a.output}"\n`

const FILES = {
  'reach.yaml': planOf('reach', 'http: { url: "${input.url}" }'),
  'program.yaml': planOf('program', 'command: { argv: [echo, hello] }'),
  'secret.yaml': planOf('secret', 'run: used, secrets: { token: secret://PLAIN_TOKEN }'),
  'keelson.steps.mjs': 'export const used = (_input, { secrets }) => secrets.token.length\n',
}

type Ran = (planId: string, input?: object) => Promise<Readonly<Record<string, unknown>>>

async function serving(folder: string, variables: Variables, use: (ran: Ran) => Promise<void>): Promise<void> {
  const server = new Command(['serve', '--port', '0', '--json', '--log', 'off'], folder, undefined, variables)
  const [, url = ''] = await server.shows(/"server":"ready","url":"([^"]+)"/)
  await use(async (planId, input = {}) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ planId, input })
    const answer = await fetch(`${url}/v1/executions?mode=sync`, { method: 'POST', headers, body })
    return (await answer.json()) as Readonly<Record<string, unknown>>
  })
  server.kill('SIGTERM')
  expect((await server.finished).code).toBe(0)
}

it('opens nothing by itself, and what the settings name', async () => {
  const folder = folderWith(FILES)
  const inside = await loopback((_asked, response) => response.end('"inside"'))
  const input = { url: inside.url }
  await serving(folder, { PLAIN_TOKEN: 'twelve chars' }, async (ran) => {
    expect(await ran('reach', input)).toMatchObject({ status: 'FAILED', error: { code: 'EGRESS_REFUSED' } })
    expect(JSON.stringify(await ran('program'))).toContain('COMMANDS_OFF')
    expect(await ran('secret')).toMatchObject({ status: 'FAILED', error: { code: 'SECRET_NOT_FOUND' } })
  })
  expect(existsSync(join(folder, '.keelson', 'receipts'))).toBe(false)
  writeFileSync(
    join(folder, 'keelson.config.yaml'),
    'egress: { allow: [127.0.0.1] }\ncommands: true\nenvironmentSecrets: [PLAIN_TOKEN]\nreceipts: true\n',
  )
  await serving(folder, { PLAIN_TOKEN: 'twelve chars' }, async (ran) => {
    expect(await ran('reach', input)).toMatchObject({ status: 'COMPLETED' })
    expect(await ran('program')).toMatchObject({ status: 'COMPLETED', output: { stdout: 'hello\n' } })
    expect(await ran('secret')).toMatchObject({ status: 'COMPLETED', output: 12 })
  })
  await until('receipts are there', () => existsSync(join(folder, '.keelson', 'receipts')))
  // A variable goes before the file.
  await serving(folder, { KEELSON_COMMANDS: 'off', KEELSON_EGRESS_ALLOW: '10.0.0.1' }, async (ran) => {
    expect(JSON.stringify(await ran('program'))).toContain('COMMANDS_OFF')
    expect(await ran('reach', input)).toMatchObject({ status: 'FAILED', error: { code: 'EGRESS_REFUSED' } })
  })
})
