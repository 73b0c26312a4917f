/** No request of a plan reaches an address that is not public unless it was named: 400 URLs and more, asked directly and by redirect. */
import { describe, expect, it } from 'vitest'
import { openDoor } from '../../src/adapters/egress/door.ts'
import type { Connect } from '../../src/adapters/egress/wire.ts'
import { systemTimers } from '../../src/adapters/system/timers.ts'
import { egressPolicy } from '../../src/core/egress/policy.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import { NAMES, REFUSED_URLS } from './ssrf-urls.ts'

const PUBLIC = '93.184.215.14'
const LOOKED_UP: Readonly<Record<string, readonly string[]>> = {
  ...NAMES,
  'public.example': [PUBLIC],
  'v6.example': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
}

interface Seen {
  readonly connects: string[]
  readonly lookups: string[]
}

/** A door whose connections are only written down; public.example redirects to `location` when there is one. */
function door(allow: readonly string[], location?: string, only = false) {
  const seen: Seen = { connects: [], lookups: [] }
  const policy = egressPolicy(allow, only)
  if (!policy.ok) throw new Error('the policy of the test is wrong')
  const connect: Connect = async ({ url, addresses, onConnected }) => {
    onConnected()
    seen.connects.push(...addresses)
    const redirects = location !== undefined && url.pathname === '/start'
    return {
      status: redirects ? 307 : 200,
      headers: redirects ? { location } : {},
      parts: (async function* nothing() {})(),
      close: () => undefined,
    }
  }
  const resolve = async (host: string): Promise<readonly string[]> => {
    seen.lookups.push(host)
    return LOOKED_UP[host] ?? []
  }
  const { send } = openDoor({ policy: policy.value, timers: systemTimers, resolve, connect })
  const ask = (url: string): Promise<unknown> =>
    send({ url, method: 'GET', headers: {} }, new AbortController().signal).then(
      () => 'sent',
      (thrown: unknown) => (thrown instanceof KeelsonError ? thrown.code : thrown),
    )
  return { ask, seen }
}

const REFUSALS = ['EGRESS_REFUSED', 'REQUEST_INVALID']

describe('an address that is not public', () => {
  it('is judged in 400 spellings and more', () => {
    expect(REFUSED_URLS.length).toBeGreaterThanOrEqual(400)
  })

  it('is never connected to when asked for', async () => {
    const { ask, seen } = door([])
    const answers = await Promise.all(REFUSED_URLS.map(async (url) => ({ url, answer: await ask(url) })))
    expect(answers.filter(({ answer }) => !REFUSALS.includes(String(answer)))).toEqual([])
    expect(seen.connects).toEqual([])
  })

  it('is never connected to when redirected to', async () => {
    // Relative redirects stay where they are; these are the ones that leave.
    const absolute = REFUSED_URLS.filter((url) => /^[a-z]+:/i.test(url) && !url.startsWith('http:127'))
    expect(absolute.length).toBeGreaterThanOrEqual(400)
    for (const url of absolute) {
      const { ask, seen } = door([], url)
      expect({ url, answer: REFUSALS.includes(String(await ask('http://public.example/start'))) }).toEqual({
        url,
        answer: true,
      })
      expect(seen.connects).toEqual([PUBLIC])
    }
  })

  it('is not even looked up when the URL itself says enough', async () => {
    const { ask, seen } = door([])
    await ask('http://2130706433/')
    await ask('http://user@public.example/')
    await ask('ftp://public.example/')
    expect(seen.lookups).toEqual([])
  })
})

it.each([
  ['http://public.example/', PUBLIC],
  ['https://PUBLIC.example:8443/a?b#c', PUBLIC],
  ['https://v6.example/', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  ['http://93.184.215.14/', PUBLIC],
  ['http://1572394766/', PUBLIC],
  ['http://0x5db8d70e/', PUBLIC],
  ['http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
])('a public place is reached under the one address that was judged: %s', async (url, address) => {
  const { ask, seen } = door([])
  expect(await ask(url)).toBe('sent')
  expect(seen.connects).toEqual([address])
})

it('a name is looked up once per request, so a second answer cannot lead elsewhere', async () => {
  const answers = [[PUBLIC], ['127.0.0.1']]
  const connects: string[] = []
  const policy = egressPolicy([])
  if (!policy.ok) throw new Error('the policy of the test is wrong')
  const { send } = openDoor({
    policy: policy.value,
    timers: systemTimers,
    resolve: async () => answers.shift() ?? [],
    connect: async ({ addresses }) => {
      connects.push(...addresses)
      return { status: 200, headers: {}, parts: (async function* nothing() {})(), close: () => undefined }
    },
  })
  const ask = () => send({ url: 'http://rebinding.example/', method: 'GET', headers: {} }, new AbortController().signal)
  await ask()
  await expect(ask()).rejects.toMatchObject({ code: 'EGRESS_REFUSED' })
  expect(connects).toEqual([PUBLIC])
})

describe('what is named', () => {
  it.each([
    [['127.0.0.1'], 'http://127.0.0.1:8080/'],
    [['127.0.0.1'], 'http://0x7f.1/'],
    [['127.0.0.1:8080'], 'http://127.0.0.1:8080/'],
    [['10.0.0.0/8'], 'http://rebind.example/'],
    [['fd00::/8'], 'http://ula.example/'],
    [['[fd00::17]:80'], 'http://ula.example/'],
    [['localhost'], 'http://LOCALHOST/'],
    [['localhost'], 'http://localhost./'],
    [['rebind.example'], 'https://rebind.example/'],
    [['169.254.169.254'], 'http://169.254.169.254/'],
    [['169.254.169.254'], 'http://metadata.google.internal/'],
  ])('%j opens %s', async (allow, url) => {
    expect(await door(allow).ask(url)).toBe('sent')
  })

  it.each([
    [['127.0.0.1:8080'], 'http://127.0.0.1:8081/'],
    [['127.0.0.1'], 'http://127.0.0.2/'],
    [['127.0.0.1'], 'http://[::ffff:127.0.0.1]/'],
    [['10.0.0.0/8'], 'http://mapped.example/'],
    [['*.example'], 'http://rebind.example/'],
    [['metadata.google.internal'], 'http://metadata.google.internal/'],
    [['unspecified.example'], 'http://unspecified.example/'],
    [['example'], 'http://rebind.example/'],
    [['rebind.example:443'], 'http://rebind.example/'],
  ])('%j does not open %s', async (allow, url) => {
    const { ask, seen } = door(allow)
    expect(await ask(url)).not.toBe('sent')
    expect(seen.connects).toEqual([])
  })

  it('is all there is when only named hosts are open', async () => {
    const { ask, seen } = door(['*.public.example', 'v6.example'], undefined, true)
    expect(await ask('http://v6.example/')).toBe('sent')
    expect(await ask('http://public.example/')).toBe('EGRESS_REFUSED')
    expect(await ask(`http://${PUBLIC}/`)).toBe('EGRESS_REFUSED')
    expect(seen.lookups).toEqual(['v6.example'])
  })

  it.each([
    'http://a.example',
    'a.example/path',
    '',
    '*',
    'a b',
    '10.0.0.0/33',
    'a:0',
    'a:99999',
    '1.2.3',
    '[::1',
    '*.',
  ])('%j is no host and is refused', (entry) => {
    expect(egressPolicy([entry])).toMatchObject({ ok: false, problems: [{ code: 'EGRESS_ALLOW_INVALID' }] })
  })
})
