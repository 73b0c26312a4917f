/**
 * IP addresses as numbers, and the kind of each address. Only plain forms are accepted here: four decimal parts, or
 * IPv6 groups without a zone; callers must normalise odd forms (octal, hex, short) before.
 */
export interface IpAddress {
  readonly version: 4 | 6
  readonly bits: bigint
}

/** Every kind except `public` is a private network or a place where no plan should connect. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'link-local' | 'reserved'

const DECIMAL = /^(0|[1-9]\d{0,2})$/
const GROUP = /^[0-9a-f]{1,4}$/i
const GROUPS = 8

export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const bits = parseV4(text)
    return bits === undefined ? undefined : { version: 4, bits }
  }
  const bits = parseV6(text)
  return bits === undefined ? undefined : { version: 6, bits }
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => DECIMAL.test(part) && Number(part) <= 255)) return undefined
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = [groupsOf(halves[0] ?? ''), groupsOf(halves[1] ?? '')]
  if (head === undefined || tail === undefined) return undefined
  const zeros = GROUPS - head.length - tail.length
  if (halves.length === 2 ? zeros < 1 : zeros !== 0) return undefined
  const groups = [...head, ...Array<number>(zeros).fill(0), ...tail]
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(group), 0n)
}

/** The last two groups may be written as an IPv4 address. */
function groupsOf(text: string): readonly number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const last = parts.at(-1) ?? ''
  const v4 = last.includes('.') ? parseV4(last) : undefined
  if (last.includes('.') && v4 === undefined) return undefined
  const written = v4 === undefined ? parts : parts.slice(0, -1)
  if (!written.every((part) => GROUP.test(part))) return undefined
  const groups = written.map((part) => Number.parseInt(part, 16))
  return v4 === undefined ? groups : [...groups, Number(v4 >> 16n), Number(v4 & 0xffffn)]
}

export interface IpRange {
  readonly version: 4 | 6
  readonly bits: bigint
  readonly prefix: number
}

/** `10.0.0.0/8`, `fd00::/8`, or one address. */
export function parseRange(text: string): IpRange | undefined {
  const [address, length, ...more] = text.split('/')
  const ip = parseIp(address ?? '')
  if (ip === undefined || more.length > 0) return undefined
  const width = ip.version === 4 ? 32 : 128
  if (length === undefined) return { ...ip, prefix: width }
  return DECIMAL.test(length) && Number(length) <= width ? { ...ip, prefix: Number(length) } : undefined
}

export function inRange(ip: IpAddress, range: IpRange): boolean {
  if (ip.version !== range.version) return false
  const rest = BigInt((ip.version === 4 ? 32 : 128) - range.prefix)
  return ip.bits >> rest === range.bits >> rest
}

/** The first match counts; an IPv4 address in no row is public. */
const V4: readonly (readonly [range: string, kind: AddressKind])[] = [
  ['127.0.0.0/8', 'loopback'],
  ['10.0.0.0/8', 'private'],
  ['172.16.0.0/12', 'private'],
  ['192.168.0.0/16', 'private'],
  ['169.254.0.0/16', 'link-local'],
  ['0.0.0.0/8', 'reserved'],
  ['100.64.0.0/10', 'reserved'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['198.18.0.0/15', 'reserved'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['224.0.0.0/4', 'reserved'],
  ['240.0.0.0/4', 'reserved'],
]

/**
 * Of IPv6 only 2000::/3 is assigned; forms that contain an IPv4 address (mapped, NAT64, 6to4, Teredo) are never public.
 */
const V6: readonly (readonly [range: string, kind: AddressKind])[] = [
  ['::1/128', 'loopback'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'reserved'],
  ['2002::/16', 'reserved'],
  ['3fff::/20', 'reserved'],
  ['2000::/3', 'public'],
  ['::/0', 'reserved'],
]

const TABLE = [...V4, ...V6].flatMap(([text, kind]) => {
  const range = parseRange(text)
  return range === undefined ? [] : [{ range, kind }]
})

export function addressKind(ip: IpAddress): AddressKind {
  return TABLE.find(({ range }) => inRange(ip, range))?.kind ?? 'public'
}
