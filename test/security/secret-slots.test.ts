/** A secret that somebody tries to write where only a reference may stand: in plans of every shape, and in signals. */
import { describe, expect, it } from 'vitest'
import { openKeelson, loadPlan, KeelsonError } from '../../src/main.ts'
import { parsePlan } from '../../src/core/plan/compile/parse-plan.ts'
import { until } from '../e2e/command.ts'

const plan = (steps: string, more = ''): string => `plan: a\nversion: 1.0.0\n${more}\nsteps:\n  - ${steps}\n`
const withValue = (value: string, key = 'password'): string => plan(`{ id: s, run: f, with: { "${key}": ${value} } }`)

function codes(text: string): readonly string[] {
  const parsed = parsePlan(text)
  return parsed.ok ? [] : [...new Set(parsed.problems.map(({ code }) => code))]
}

const INLINE = ['PLAN_SECRET_INLINE']

describe('a plan that hides an inline secret', () => {
  it.each([
    ['before an expression', '"hunter2${input.x}"'],
    ['after an expression', '"${input.x}hunter2"'],
    ['between two', '"${input.x}hunter2${input.y}"'],
    ['of two expressions', '"${input.x}${input.y}"'],
    ['in a list', '[hunter2]'],
    ['in a list of lists', '[[[hunter2]]]'],
    ['in an object', '{ value: hunter2 }'],
    ['deep in an object', '{ a: [{ b: { c: hunter2 } }] }'],
    ['as a literal of an expression', `"\${'hunter2'}"`],
    ['as a JSON literal of an expression', '"${`hunter2`}"'],
    ['behind an alternative', `"\${input.x || 'hunter2'}"`],
    ['in the argument of a function', `"\${join('', ['hun', 'ter2'])}"`],
    ['behind a scheme', '"Bearer hunter2"'],
    ['behind a reference', '"secret://a hunter2"'],
    ['before a reference', '"hunter2 secret://a"'],
    ['around a reference', '"secret://a/${input.x}"'],
    ['with a line after the reference', '"secret://a\\n"'],
    ['as an escaped expression', '"$${input.x}"'],
    ['as a number', '12345'],
    ['as a negative number', '-1.5'],
    ['tagged as text', '!!str hunter2'],
    ['as a reference that carries more', '{ secretId: a, value: hunter2 }'],
    ['as the id of a reference', '{ secretId: "hunter2 with blanks" }'],
    ['as the version of a reference', '{ secretId: a, version: { value: hunter2 } }'],
  ])('%s is refused: %s [SEC-01]', (_how, value) => {
    expect(codes(withValue(value))).toEqual(INLINE)
  })

  it.each([
    'apiKey',
    'API_KEY',
    'api-key',
    'Api Key',
    'X-Api-Key',
    'ｐａｓｓｗｏｒｄ',
    'pass\u200bword',
    'PASSWORD',
    'DB_PASSWORD',
    'client_secret',
    'accessToken',
    'Authorization',
    'proxy-authorization',
    'private_key',
    'passphrase',
  ])('under the key %s is refused, also inside lists and objects [SEC-01]', (key) => {
    expect(codes(withValue('hunter2', key))).toEqual(INLINE)
    expect(codes(plan(`{ id: s, run: f, with: { a: [{ b: { "${key}": hunter2 } }] } }`))).toEqual(INLINE)
    expect(codes(plan(`{ id: s, http: { url: "https://x.example", headers: { "${key}": hunter2 } } }`))).toEqual(INLINE)
    expect(codes(plan(`{ id: s, command: { argv: [ls], env: { "${key}": "hunter2\${input.x}" } } }`))).toEqual(INLINE)
  })

  it('behind an anchor, an alias, a merge or a block of text is refused [SEC-01]', () => {
    const steps = (rest: string): string => `plan: a\nversion: 1.0.0\nsteps:\n  - id: s\n    run: f\n    with:\n${rest}`
    for (const text of [
      steps('      note: &x hunter2\n      password: *x\n'),
      steps('      password: |\n        hunter2\n'),
      steps('      password: >-\n        hunter2\n'),
      steps('      "pass\\u0077ord": hunter2\n'),
      steps('      ? password\n      : hunter2\n'),
    ])
      expect(codes(text), text).toEqual(INLINE)
    expect(codes(steps('      base: &b { password: hunter2 }\n      <<: *b\n'))).toContain('PLAN_SECRET_INLINE')
  })

  it('in labels, an address or the schema of an input is refused [SEC-01]', () => {
    for (const text of [
      plan('{ id: s, run: f, labels: { token: hunter2 } }'),
      plan('{ id: s, run: f }', 'metadata: { labels: { apiKey: hunter2 } }'),
      plan('{ id: s, http: { url: "https://x.example/a?b=1&api_key=hunter2" } }'),
      plan('{ id: s, http: { url: "https://x.example/a?t%6Fken=hunter2" } }'),
      plan('{ id: s, http: { url: "https://x.example/?token=hunter2${input.x}" } }'),
      plan('{ id: s, http: { url: "https://ana:hunter2@x.example/" } }'),
      plan('{ id: s, run: f, inputSchema: { properties: { password: { default: hunter2 } } } }'),
      plan(
        '{ id: s, run: f, inputSchema: { anyOf: [{ properties: { a: { properties: { token: { const: x } } } } }] } }',
      ),
      plan('{ id: s, run: f, inputSchema: { examples: [{ password: hunter2 }] } }'),
    ])
      expect(codes(text), text).toEqual(INLINE)
  })

  it('names the slot and quotes nothing of what stood in it [SEC-01]', () => {
    const parsed = parsePlan(withValue('{ value: hunter2 }'))
    expect(parsed.ok ? [] : parsed.problems.map(({ pointer, message }) => [pointer, message])).toEqual([
      ['/steps/0/with/password', "'password' must not be written into a plan"],
    ])
    expect(JSON.stringify(parsed)).not.toContain('hunter2')
  })
})

it('a plan with one reference in each slot is taken: a secret, a version of one, or a path [SEC-01]', () => {
  for (const value of [
    'secret://payments/token_1-a',
    '{ secretId: payments/token }',
    '{ secretId: payments/token, version: "7" }',
    '"${input.token}"',
    '"${steps.login.output.items[0].token}"',
    '"Bearer ${steps.login.output.token}"',
    'null',
    '""',
  ])
    expect([value, codes(withValue(value, 'token').replace('run: f', 'dependsOn: [], run: f'))]).toEqual([value, []])
  for (const key of ['pageToken', 'tokens', 'passwordHint', 'secretary', 'keyboard'])
    expect([key, codes(withValue('plain', key))]).toEqual([key, []])
  expect(codes(plan('{ id: s, run: f, with: [{ x: 1 }] }'))).not.toContain('PLAN_SECRET_INLINE')
})

describe('a signal that carries a secret in plain text', () => {
  it.each([
    ['UPDATE_PARAMS', { params: { password: 'hunter2' } }],
    ['UPDATE_PARAMS', { params: { password: 'hunter2${input.x}' } }],
    ['UPDATE_PARAMS', { params: { password: '${input.x}' } }],
    ['UPDATE_PARAMS', { params: { password: ['hunter2'] } }],
    ['UPDATE_PARAMS', { params: { password: { value: 'hunter2' } } }],
    ['UPDATE_PARAMS', { params: { list: [[{ 'ａｐｉ-Key': 'hunter2' }]] } }],
    ['UPDATE_PARAMS', { params: { DB_PASSWORD: 4242424242 } }],
    ['UPDATE_PARAMS', { params: { authorization: 'Bearer hunter2' } }],
    ['UPDATE_PARAMS', { params: { token: { secretId: 'a', value: 'hunter2' } } }],
    ['INJECT_OVERRIDE', { stepId: 'a', override: { token: ['hunter2'] } }],
  ] as const)('%s %j is refused, and nothing of it is stored [SEC-01, P-24]', async (signalType, payload) => {
    await using keelson = await openKeelson({ directory: ':memory:', steps: { f: () => 1 } })
    const run = await keelson.start(loadPlan(plan('{ id: a, wait: { forMs: 600000 } }')))
    const refused = await run.signal(signalType, payload).catch((thrown: unknown) => thrown)
    expect(refused).toBeInstanceOf(KeelsonError)
    expect(refused).toMatchObject({ code: 'SIGNAL_INVALID_PAYLOAD' })
    expect(JSON.stringify((refused as KeelsonError).problems) + JSON.stringify(await run.records())).not.toMatch(
      /hunter2|4242424242/,
    )
  })

  it('is taken when each slot holds one reference [SEC-01, P-24]', async () => {
    await using keelson = await openKeelson({ directory: ':memory:', steps: { f: () => 1 } })
    const run = await keelson.start(loadPlan(plan('{ id: a, wait: { forMs: 600000 } }')))
    const params = { password: 'secret://prod/db', token: { secretId: 'prod/db', version: 3 }, apiKey: null }
    await run.signal('UPDATE_PARAMS', { params, reason: 'rotated' })
    const accepted = await until('the signal is recorded', async () =>
      (await run.records()).find(({ eventType }) => eventType === 'SignalAccepted'),
    )
    expect(accepted).toMatchObject({ data: { signalPayload: { params } } })
  })
})
