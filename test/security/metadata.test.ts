/** A metadata service gives whoever asks the machine's credentials: no range and no name opens it, only its own address. */
import { describe, expect, it } from 'vitest'
import { openDoor } from '../../src/adapters/egress/door.ts'
import { systemTimers } from '../../src/adapters/system/timers.ts'
import { egressPolicy } from '../../src/core/egress/policy.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import { carriersOf, METADATA_V4, METADATA_V6 } from './metadata-addresses.ts'

/** Every range an operator may have opened for private services, and all there is. */
const OPEN = ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '192.0.0.0/24', '168.63.0.0/16', '0.0.0.0/0']
const OPEN_V6 = [
  'fc00::/7',
  'fd00::/8',
  'fe80::/10',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
  '2001::/32',
  '::/0',
]
const NAMED = ['cloud.internal', '*.internal']
const ADDRESSES = [...METADATA_V4, ...METADATA_V6, ...METADATA_V4.flatMap(carriersOf)]

/** A door to which `cloud.internal` leads to `address`, and whose public host redirects to `location`. */
function door(allow: readonly string[], address: string, location?: string) {
  const connects: string[] = []
  const policy = egressPolicy(allow)
  if (!policy.ok) throw new Error('the policy of the test is wrong')
  const { send } = openDoor({
    policy: policy.value,
    timers: systemTimers,
    resolve: async (host) => (host === 'public.example' ? ['93.184.215.14'] : [address]),
    connect: async ({ url, addresses, onConnected }) => {
      onConnected()
      connects.push(...addresses)
      const moved = location !== undefined && url.hostname === 'public.example'
      const headers = moved ? { location } : {}
      return {
        status: moved ? 307 : 200,
        headers,
        parts: (async function* nothing() {})(),
        close: () => undefined,
      }
    },
  })
  const ask = (url: string): Promise<string> =>
    send({ url, method: 'GET', headers: {} }, new AbortController().signal).then(
      () => 'sent',
      (thrown: unknown) => (thrown instanceof KeelsonError ? thrown.code : String(thrown)),
    )
  return { ask, connects }
}

const hostOf = (address: string): string => (address.includes(':') ? `[${address}]` : address)

describe('a metadata service, though every range that holds it is allowed', () => {
  const allow = [...OPEN, ...OPEN_V6, ...NAMED]

  it.each(ADDRESSES)('is not asked by its address %s', async (address) => {
    const { ask, connects } = door(allow, address)
    expect(await ask(`http://${hostOf(address)}/latest/meta-data`)).toBe('EGRESS_REFUSED')
    expect(connects).toEqual([])
  })

  it.each(ADDRESSES)('is not asked by an allowed name that leads to %s', async (address) => {
    const { ask, connects } = door(allow, address)
    expect(await ask('http://cloud.internal/computeMetadata/v1')).toBe('EGRESS_REFUSED')
    expect(await ask('http://a.cloud.internal/')).toBe('EGRESS_REFUSED')
    expect(connects).toEqual([])
  })

  it('is not asked by a redirect', async () => {
    for (const address of ADDRESSES) {
      const { ask, connects } = door(allow, address, `http://${hostOf(address)}/`)
      expect([address, await ask('http://public.example/')]).toEqual([address, 'EGRESS_REFUSED'])
      expect(connects).toEqual(['93.184.215.14'])
    }
  })

  it.each([
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://169.16689662/',
    'http://１６９.254.169.254/',
    'http://169。254。169。254/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'http://[FD20:CE::254]/',
    'http://[fd20:ce:0:0:0:0:0:254]/',
    'http://[fd20:00ce::0.0.2.84]/',
    'http://[fd00:00c1::169.254.169.254]/',
    'http://1684301000/',
    'http://0x64.0144.25800/',
    'http://0xa83f8110/',
  ])('is not asked in another spelling: %s', async (url) => {
    const { ask, connects } = door(allow, '8.8.8.8')
    expect(await ask(url)).toBe('EGRESS_REFUSED')
    expect(connects).toEqual([])
  })

  it('is refused under a name with a zone, and as one of several addresses', async () => {
    expect(await door(allow, 'fe80::a9fe:a9fe%eth0').ask('http://cloud.internal/')).toBe('EGRESS_REFUSED')
    expect(await door(allow, '::').ask('http://[fe80::a9fe:a9fe%25eth0]/')).toBe('REQUEST_INVALID')
  })
})

describe('what operators meant by their ranges stays open', () => {
  it.each([
    ['10.0.0.0/8', '10.1.2.3'],
    ['100.64.0.0/10', '100.100.100.201'],
    ['fd00::/8', 'fd00::17'],
    ['fd20::/16', 'fd20:ce:1::254'],
    ['64:ff9b::/96', '64:ff9b::10.1.2.3'],
    ['168.63.0.0/16', '168.63.129.17'],
  ])('%s opens %s', async (range, address) => {
    expect(await door([range], address).ask('http://service.example/')).toBe('sent')
  })

  it.each(METADATA_V4.concat(METADATA_V6))('%s opens to its own address, named alone', async (address) => {
    expect(await door([address], address).ask(`http://${hostOf(address)}/`)).toBe('sent')
    expect(
      await door([`${address}/${address.includes(':') ? 127 : 31}`], address).ask(`http://${hostOf(address)}/`),
    ).toBe('EGRESS_REFUSED')
  })

  it('the refusal says that the address must be named alone', async () => {
    const policy = egressPolicy(['fd00::/8'])
    if (!policy.ok) throw new Error('the policy of the test is wrong')
    const { send } = openDoor({ policy: policy.value, timers: systemTimers, resolve: async () => [] })
    await expect(
      send({ url: 'http://[fd20:ce::254]/', method: 'GET', headers: {} }, new AbortController().signal),
    ).rejects.toThrow('fd20:ce::254 is where a cloud keeps its metadata and credentials, which no range opens')
  })
})
