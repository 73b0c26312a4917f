/** Settings of a server: from which place each value comes, what is refused and where, and who may bind where. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { SETTINGS, SETTING_NAMES } from '../../src/core/config/settings.ts'
import { KeelsonError, type Problem } from '../../src/core/problems/problem.ts'
import { validateJson } from '../../src/app/schemas/json-schema.ts'
import { needAuthentication } from '../../src/edge/cli/serve/authentication.ts'
import { configOf, type Config } from '../../src/edge/cli/serve/config.ts'
import { optionsOf } from '../../src/edge/cli/terminal/command.ts'
import { configSchema } from '../../src/core/config/config-schema.ts'
import { testFolder } from '../fixtures/folder.ts'

const before = { ...process.env }
afterEach(() => {
  process.env = { ...before }
})

interface Said {
  readonly file?: string
  readonly name?: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly variables?: Readonly<Record<string, string>>
}

function config({ file, name = 'keelson.config.yaml', options = {}, variables = {} }: Said = {}): Config {
  const folder = testFolder()
  if (file !== undefined) writeFileSync(join(folder, name), file)
  Object.assign(process.env, variables)
  return configOf(optionsOf(options), folder)
}

function refused(work: () => unknown): readonly Problem[] {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof KeelsonError) return thrown.problems
    throw thrown
  }
  return []
}

it('without configuration every setting has its default', () => {
  const plain = config()
  expect(SETTING_NAMES.map((name) => [name, plain.given(name)])).toEqual(
    SETTING_NAMES.map((name) => [
      name,
      { value: 'default' in SETTINGS[name] ? SETTINGS[name].default : undefined, from: 'default' },
    ]),
  )
  expect([plain.get('host'), plain.get('port')]).toEqual(['127.0.0.1', 8088])
})

it('an option goes before a variable, a variable before the file, the file before the default', () => {
  const file = 'port: 1\nlog: off\nhosts: [a, b]\n'
  expect(config({ file }).given('port')).toEqual({ value: 1, from: expect.stringMatching(/keelson\.config\.yaml$/) })
  expect(config({ file: '{"port": 1}', name: 'keelson.config.json' }).get('port')).toBe(1)
  const variables = { KEELSON_PORT: '2', KEELSON_HOSTS: 'c, d', KEELSON_AUTH_KEYS: 'on' }
  const both = config({ file: 'port: 1\nhosts: [a]\n', variables })
  expect(both.given('port')).toEqual({ value: 2, from: 'KEELSON_PORT' })
  expect(both.get('hosts')).toEqual(['c', 'd'])
  expect(both.get('auth.keys')).toBe(true)
  const options = { port: '3', allowHostName: ['e'], authKeys: true, duties: 'api,engine' }
  const all = config({ file: 'port: 1\n', variables, options })
  expect(all.given('port')).toEqual({ value: 3, from: '--port' })
  expect(all.given('hosts')).toEqual({ value: ['e'], from: '--allow-host-name' })
  expect(all.get('duties')).toEqual(['api', 'engine'])
})

it('two letters in the wrong order are told as what was meant', () => {
  expect(refused(() => config({ file: 'prot: 80\n' }))).toMatchObject([{ hint: "did you mean 'port'?" }])
})

it('a word that YAML reads as a flag is told as what it is', () => {
  expect(refused(() => config({ file: 'log: false\n' }))).toMatchObject([{ message: "'log' is a text" }])
})

it('paths of the file are meant from where it lies', () => {
  const folder = testFolder()
  writeFileSync(join(folder, 'other.yaml'), 'dir: state\nkeysDir: ../keys\n')
  const { place } = configOf(optionsOf({ config: join(folder, 'other.yaml') }))
  expect(place).toMatchObject({ dir: resolve(folder, 'state'), keys: resolve(folder, '../keys') })
})

it('mistakes are told at their place, each once, and unknown names with what was meant', () => {
  const file = `port: many
auth:
  key: true
  oidc: { issuer: not-an-address, claims: { tenent: org } }
limits: 7
hosts: localhost
duties: [api, motor]
`
  const found = refused(() => config({ file }))
  expect(found.map(({ code, message, hint, at }) => [code, `${at?.line}:${at?.column}`, message, hint])).toEqual([
    ['CONFIG_INVALID', '1:7', "'port' is a whole number from 0 to 65535", undefined],
    ['CONFIG_INVALID', '3:3', "there is no setting 'auth.key'", "did you mean 'keys'?"],
    [
      'CONFIG_INVALID',
      '4:19',
      "'auth.oidc.issuer' is an address that begins with https:// or http://, without ? and #",
      undefined,
    ],
    ['CONFIG_INVALID', '4:45', "there is no setting 'auth.oidc.claims.tenent'", "did you mean 'tenant'?"],
    ['CONFIG_INVALID', '5:9', "'limits' has fields: ratePerMinute, streamsPerPrincipal, connections", undefined],
    ['CONFIG_INVALID', '6:8', "'hosts' is a list", undefined],
    [
      'CONFIG_INVALID',
      '7:9',
      "'duties' is a list, and each of it is one of api, engine, followers, clockwork",
      undefined,
    ],
  ])
})

it('a file that is no YAML is refused at its place, an empty one has nothing to say, and two are one too many', () => {
  const [first] = refused(() => config({ file: 'port: [1\n' }))
  expect(first).toMatchObject({ code: 'CONFIG_INVALID', at: { line: expect.any(Number) } })
  expect(config({ file: '# nothing yet\n' }).get('port')).toBe(8088)
  const folder = testFolder()
  for (const name of ['keelson.config.yaml', 'keelson.config.json']) writeFileSync(join(folder, name), '{}')
  expect(refused(() => configOf(optionsOf({}), folder))).toMatchObject([
    { code: 'CONFIG_INVALID', message: expect.stringContaining('there are two configurations') },
  ])
})

it('variables and options are held to the same rules', () => {
  expect(refused(() => config({ variables: { KEELSON_PORT: '70000' } }))).toMatchObject([
    { code: 'CONFIG_INVALID', message: 'KEELSON_PORT is a whole number from 0 to 65535' },
  ])
  expect(refused(() => config({ variables: { KEELSON_PORT: '' }, options: { log: 'loud' } }))).toMatchObject([
    { code: 'CONFIG_INVALID', message: '--log is one of text, json, off' },
  ])
})

it('the published schema takes what the reader takes, and refuses what it refuses', () => {
  const schema = configSchema()
  const takes = (value: unknown): boolean => validateJson(schema as never, value, 'CONFIG_INVALID').ok
  const good = {
    $schema: 'x',
    port: 0,
    auth: { keys: true, oidc: { issuer: 'https://id.example/', audience: 'k', algorithms: ['ES256'] } },
    limits: { ratePerMinute: { principal: 10 } },
  }
  const bad = [{ prot: 1 }, { port: '1' }, { auth: { key: true } }, { auth: { oidc: { algorithms: ['none'] } } }]
  expect(takes(good)).toBe(true)
  expect(refused(() => config({ file: JSON.stringify(good) }))).toEqual([])
  for (const one of [...bad, { auth: { oidc: { algorithms: ['HS256'] } } }, { duties: ['x'] }, { limits: 3 }]) {
    expect([one, takes(one)]).toEqual([one, false])
    expect(refused(() => config({ file: JSON.stringify(one) })).map(({ code }) => code)).toEqual(['CONFIG_INVALID'])
  }
})

it('only this machine reaches a server that knows no callers [API-15]', () => {
  const judged = (file: string): string | undefined => refused(() => needAuthentication(config({ file })))[0]?.code
  for (const host of ['127.0.0.1', '127.0.0.2', 'localhost', '::1']) expect(judged(`host: '${host}'`)).toBeUndefined()
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'keelson.internal', '127.0.0.1.evil.example'])
    expect([host, judged(`host: '${host}'`)]).toEqual([host, 'AUTH_REQUIRED'])
  expect(judged('trustProxy: [10.0.0.1]')).toBe('AUTH_REQUIRED')
  expect(judged('host: 0.0.0.0\nauth: { keys: true }')).toBeUndefined()
  expect(judged('host: 0.0.0.0\nauth: { oidc: { issuer: https://id.example, audience: k } }')).toBeUndefined()
  expect(judged('host: 0.0.0.0\nauth: { keys: true, local: true }')).toBe('AUTH_REQUIRED')
  expect(judged('auth: { local: false }')).toBe('CONFIG_INVALID')
  expect(judged('auth: { oidc: { issuer: https://id.example } }')).toBe('CONFIG_INVALID')
  expect(judged('auth: { oidc: { audience: k } }')).toBe('CONFIG_INVALID')
  expect(judged('auth: { oidc: { issuer: https://id.example, audience: k, algorithms: [] } }')).toBe('CONFIG_INVALID')
})

it("what would never be anybody's host or origin is refused, rather than kept without effect", () => {
  for (const [name, values] of [
    ['hosts', ['keelson.internal:8088', 'https://keelson.internal', '*', 'a b']],
    ['origins', ['*', 'null', 'panel.example', 'https://panel.example/', 'https://Panel.example', 'https://*.example']],
  ] as const)
    for (const value of values) {
      const told = refused(() => config({ file: `${name}: ['${value}']\n` }))
      expect([value, told[0]?.code, told[0]?.message]).toEqual([
        value,
        'CONFIG_INVALID',
        expect.stringContaining(`'${name}' is a list, and each of it is `),
      ])
    }
  const good = config({
    file: "hosts: [keelson.internal, '[::1]']\norigins: ['https://panel.example', 'http://localhost:5173']\n",
  })
  expect([good.get('hosts').length, good.get('origins').length]).toEqual([2, 2])
})

it('keys of an issuer are asked for over https alone, but on this machine [AUT-14]', () => {
  const oidc = (more: string): Config => config({ file: `auth: { oidc: { audience: k, ${more} } }\n` })
  for (const [more, name] of [
    ['issuer: http://id.example', 'issuer'],
    ['issuer: https://id.example, jwksUri: http://id.example/keys', 'jwksUri'],
  ] as const)
    expect(refused(() => needAuthentication(oidc(more)))[0]?.message).toBe(
      `auth.oidc.${name}: keys of tokens are asked for over https alone, but on this machine`,
    )
  for (const more of ['issuer: https://id.example', 'issuer: http://127.0.0.1:9, jwksUri: http://localhost:9/keys'])
    expect(refused(() => needAuthentication(oidc(more)))).toEqual([])
})

it('proxies are addresses and ranges: another word is refused before the server is opened', () => {
  const proxied = (value: string): Config => config({ file: `auth: { keys: true }\ntrustProxy: ['${value}']\n` })
  for (const value of ['proxy.internal', '10.0.0.0/33', '10.0.0.0/8/8', '::1/129', '10.0.0', '10.0.0.0/-1'])
    expect(refused(() => needAuthentication(proxied(value)))[0]?.message).toBe(
      `trustProxy: '${value}' is no address and no range such as 10.0.0.0/8`,
    )
  for (const value of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', 'loopback'])
    expect(refused(() => needAuthentication(proxied(value)))).toEqual([])
})
