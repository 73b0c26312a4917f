/**
 * Twenty secrets, each leaked by a step in a way of its own, in a run of the real command. Afterwards everything that was
 * printed or written is searched for each of them, plain and encoded. What steps print themselves is theirs and not here.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, jsonLines, keelson, sideLines } from '../e2e/command.ts'

const CANARIES = Array.from({ length: 20 }, (_, index) => `cnry${String(index).padStart(2, '0')}/Zq8+w=?&%x ~end`)

const STEPS = `import { appendFileSync } from 'node:fs'
const seen = (key) => (appendFileSync('side.txt', key + '\\n'), key)
const thrower = (make) => (input, { secrets }) => { throw make(seen(secrets.key)) }
const giver = (make) => (input, { secrets }) => make(seen(secrets.key))
export default {
  message: thrower((key) => new Error('refused ' + key)),
  stack: thrower((key) => Object.assign(new Error('no'), { stack: 'Error: no\\n    at ' + key + ':1:1' })),
  cause: thrower((key) => new Error('outer', { cause: new Error('inner ' + key) })),
  code: thrower((key) => Object.assign(new Error('no'), { code: key, name: key })),
  several: thrower((key) => new AggregateError([new Error(key)], 'several: ' + encodeURIComponent(key))),
  text: thrower((key) => key),
  object: thrower((key) => ({ config: { headers: { authorization: 'Bearer ' + key } } })),
  cut: thrower((key) => new Error('x'.repeat(8185) + key)),
  output: giver((key) => ({ key, nested: [{ deep: 'a ' + key + ' b' }] })),
  asKey: giver((key) => ({ [key]: 1 })),
  base64: giver((key) => Buffer.from(key).toString('base64')),
  basic: giver((key) => ({ header: 'Basic ' + Buffer.from('user:' + key).toString('base64') })),
  url: giver((key) => 'https://example.test/?token=' + encodeURIComponent(key)),
  json: giver((key) => JSON.stringify({ key, twice: JSON.stringify(key), thrice: JSON.stringify(JSON.stringify(key)),
    hex: Buffer.from(key).toString('hex').toUpperCase(), bytes: [...Buffer.from(key)],
    percent: [...Buffer.from(key)].map((byte) => '%' + byte.toString(16)).join(''),
    entities: [...key].map((char) => '&#' + char.charCodeAt(0) + ';').join(''),
    units: [...key].map((char) => '\\\\u' + char.charCodeAt(0).toString(16).padStart(4, '0')).join('') })),
  large: giver((key) => ('y'.repeat(1000) + key).repeat(100)),
  pointer(input, { secrets, addArtifact }) {
    addArtifact({ uri: 's3://bucket/' + encodeURIComponent(seen(secrets.key)), kind: 'log-bundle' })
  },
  undo: thrower((key) => new Error('cannot undo with ' + key)),
}
`

const THROWN = ['message', 'stack', 'cause', 'code', 'several', 'text', 'object', 'cut']
const GIVEN = ['output', 'asKey', 'base64', 'basic', 'url', 'json', 'large', 'pointer']

function planFor(port: number): string {
  const secretOf = (name: string, index: number): string => `secrets: { ${name}: "secret://canary/n${index}" }`
  const plain = [...THROWN, ...GIVEN].map((name, index) => {
    const capture = name === 'large' || name === 'output' ? `, capture: [{ destination: ${name} }]` : ''
    return `  - { id: ${name}, dependsOn: [], run: ${name}, ${secretOf('key', index)}${capture}, retry: { maxAttempts: 2, initialBackoffMs: 1 } }`
  })
  const step = (rest: string): string => `  - { dependsOn: [], retry: { maxAttempts: 1 }, ${rest} }`
  return `plan: canaries
version: 1.0.0
policy: { onFailure: continue }
steps:
${plain.join('\n')}
${step(`id: echoed, http: { url: "http://127.0.0.1:${port}/echo" }, ${secretOf('authorization', 16)}`)}
${step(`id: refused, http: { url: "http://127.0.0.1:${port}/refuse" }, ${secretOf('authorization', 17)}`)}
${step(`id: command, command: { argv: ["${process.execPath}", "-e", "console.log(process.env.KEY)"] }, ${secretOf('KEY', 18)}`)}
${step(`id: undone, run: asKey, ${secretOf('key', 19)}, compensate: { run: undo, retry: { maxAttempts: 1 } }`)}
output: { all: "\${steps.output.output}", large: "\${context.large}" }
`
}

let server: Server
let port = 0
const headersSeen: string[] = []

beforeAll(async () => {
  await ensureBuilt()
  server = createServer((request, response) => {
    const key = request.headers.authorization ?? ''
    headersSeen.push(key)
    response.writeHead(request.url === '/echo' ? 200 : 403, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ youSent: key }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

/** Every file below a folder but the secrets themselves, as bytes read one to one. */
function filesUnder(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !name.startsWith('secrets') && statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name), 'latin1')] as const)
}

/** The value and what of it cannot be mistaken, in the encodings that logs are full of. */
function formsOf(canary: string): readonly string[] {
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.from('\0'.repeat(before) + canary).toString('base64')
    return text.slice(before === 0 ? 0 : 4, -4)
  })
  const url = encodeURIComponent(canary)
  return [
    canary,
    canary.slice(0, 12),
    JSON.stringify(canary).slice(1, -1),
    url,
    url.replaceAll('%20', '+'),
    ...base64,
    Buffer.from(canary).toString('hex'),
    Buffer.from(canary).toString('hex').toUpperCase(),
    JSON.stringify(JSON.stringify(JSON.stringify(canary))).slice(5, -5),
    [...Buffer.from(canary)].map((byte) => `%${byte.toString(16)}`).join(''),
    [...canary].map((char) => `&#${char.charCodeAt(0)};`).join(''),
    [...canary].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    [...Buffer.from(canary)].join(','),
  ]
}

it('none of 20 is found in the database, the printed lines, the views or the bundle [SEC-03, SEC-08]', async () => {
  const folder = folderWith({ 'p.yaml': planFor(port), 'keelson.steps.mjs': STEPS })
  mkdirSync(join(folder, '.keelson', 'secrets', 'local'), { recursive: true })
  const file = join(folder, '.keelson', 'secrets', 'local', 'local.json')
  const values = Object.fromEntries(CANARIES.map((value, index) => [`n${index}`, value]))
  writeFileSync(file, JSON.stringify({ canary: values }))
  chmodSync(file, 0o600)

  const printed: string[] = []
  const said = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await keelson(args, folder)
    printed.push(stdout, stderr)
    return stdout
  }
  const allowed = ['--allow-host', `127.0.0.1:${port}`]
  const lines = jsonLines(await said('run', 'p.yaml', '--json', ...allowed))
  const { result } = lines.at(-1) as { readonly result: { readonly runId: string; readonly status: string } }
  expect(result.status).toBe('FAILED')
  await said('run', 'p.yaml', ...allowed)
  for (const args of [
    ['show'],
    ['events'],
    ['why'],
    ['show', '--json'],
    ['events', '--json'],
    ['verify'],
    ['export'],
  ]) {
    const [command = '', ...rest] = args
    await said(command, result.runId, ...rest)
  }
  await said('runs', '--json')

  // Each was really handed over: to its step, in a header, in the environment of a command.
  const used = new Set([...sideLines(folder), ...headersSeen])
  expect(CANARIES.filter((canary) => !used.has(canary))).toEqual([CANARIES[18]])
  const events = lines.filter((line) => line['eventType'] === 'StepCompleted' || line['eventType'] === 'StepFailed')
  expect(events.find((line) => line['stepId'] === 'command')).toMatchObject({ eventType: 'StepCompleted' })
  expect(printed.join('').split('***').length).toBeGreaterThan(100)

  const places = [
    ...filesUnder(join(folder, '.keelson')),
    ...printed.map((text, index) => [`printed ${index}`, text] as const),
  ]
  expect(places.some(([name, text]) => name.startsWith('keelson.db') && text.includes('***'))).toBe(true)
  const found = CANARIES.flatMap((canary) =>
    formsOf(canary).flatMap((form) =>
      places.flatMap(([name, text]) => (text.includes(form) ? [`${form} in ${name}`] : [])),
    ),
  )
  expect(found).toEqual([])
})
