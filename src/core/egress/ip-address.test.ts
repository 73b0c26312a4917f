import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressKind, inRange, parseIp, parseRange } from './ip-address.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

const RUNS = { seed, numRuns: 2_000 }

const kindOf = (text: string): string | undefined => {
  const ip = parseIp(text)
  return ip === undefined ? undefined : addressKind(ip)
}

describe(`an address (seed ${seed})`, () => {
  it('is one where Node’s own parser sees one, and nowhere else', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdefF:.x'), maxLength: 24 })
    const almost = fc.tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(40), digits).map(([ip, at, more]) => ({
      text: ip.slice(0, at) + more.slice(0, 2) + ip.slice(at),
    }))
    const texts = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      digits,
      almost.map(({ text }) => text),
    )
    fc.assert(
      fc.property(texts, (text) => {
        expect(parseIp(text)?.version ?? 0).toBe(isIP(text))
      }),
      RUNS,
    )
  })

  it('lies in a range where Node’s block list says so', () => {
    const v4 = fc.tuple(fc.ipV4(), fc.ipV4(), fc.nat(32), fc.constant('ipv4' as const))
    const v6 = fc.tuple(fc.ipV6(), fc.ipV6(), fc.nat(128), fc.constant('ipv6' as const))
    fc.assert(
      fc.property(fc.oneof(v4, v6), fc.boolean(), ([net, other, prefix, family], same) => {
        const address = same ? net : other
        const list = new BlockList()
        list.addSubnet(net, prefix, family)
        const [ip, range] = [parseIp(address), parseRange(`${net}/${prefix}`)]
        expect(ip !== undefined && range !== undefined && inRange(ip, range)).toBe(list.check(address, family))
      }),
      RUNS,
    )
  })

  it.each([
    ['8.8.8.8', 'public'],
    ['9.255.255.255', 'public'],
    ['11.0.0.0', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['100.63.255.255', 'public'],
    ['100.128.0.0', 'public'],
    ['198.17.255.255', 'public'],
    ['223.255.255.255', 'public'],
    ['2606:4700::1111', 'public'],
    ['2001:200::1', 'public'],
    ['10.0.0.0', 'private'],
    ['172.16.0.0', 'private'],
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fd00::1', 'private'],
    ['224.0.0.1', 'reserved'],
    ['::ffff:8.8.8.8', 'reserved'],
    ['2002:808:808::', 'reserved'],
    ['01.2.3.4', undefined],
    ['1.2.3', undefined],
    ['fe80::1%eth0', undefined],
    [':::', undefined],
    ['1:2:3:4:5:6:7:8::', undefined],
  ])('%s is %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind)
  })
})
