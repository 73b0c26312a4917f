/**
 * Addresses where clouds tell a machine about itself, including its credentials. Such an address is recognised in every
 * form: IPv6 has many ways to contain an IPv4 address, and a translator on the way connects to that IPv4 address.
 */
import { inRange, parseRange, type IpAddress, type IpRange } from './ip-address.ts'

/** AWS, GCP, Azure and most others share the first two; then Tencent, Scaleway, Azure, Oracle, Alibaba. */
const V4 = rangesOf(
  '169.254.169.0/24',
  '169.254.170.0/24',
  '169.254.0.23',
  '169.254.42.42',
  '168.63.129.16',
  '192.0.0.192',
  '100.100.100.200',
)
/** AWS, GCP, Oracle, Scaleway, Linode. OpenStack and Oracle have the IPv4 address in the last four bytes. */
const V6 = rangesOf('fd00:ec2::/32', 'fd20:ce::/64', 'fd00:c1::/64', 'fd00:42::/64', 'fd00:a9fe:a9fe::/64')
const SIX_TO_FOUR = rangesOf('2002::/16')
const TEREDO = rangesOf('2001::/32')
const LOCAL_NAT64 = rangesOf('64:ff9b::/32')
/** Lengths of NAT64 prefixes, in bits; a prefix of 96 leaves the address in the last four bytes. */
const PREFIXES = [32, 40, 48, 56, 64]

function rangesOf(...texts: readonly string[]): readonly IpRange[] {
  return texts.map((text) => parseRange(text)).filter((range) => range !== undefined)
}

function isIn(ip: IpAddress, ranges: readonly IpRange[]): boolean {
  return ranges.some((range) => inRange(ip, range))
}

export function isMetadata(ip: IpAddress): boolean {
  if (ip.version === 4) return isIn(ip, V4)
  return isIn(ip, V6) || carried(ip).some((bits) => isIn({ version: 4, bits }, V4))
}

/** `length` bits, counted from the left end of an IPv6 address. */
function part({ bits }: IpAddress, from: number, length: number): bigint {
  return (bits >> BigInt(128 - from - length)) & ((1n << BigInt(length)) - 1n)
}

/** Every IPv4 address that this one may contain. */
function carried(ip: IpAddress): readonly bigint[] {
  const last = part(ip, 96, 32)
  return [
    // Mapped, compatible, translated, ISATAP, and NAT64 under any prefix.
    last,
    ...(isIn(ip, SIX_TO_FOUR) ? [part(ip, 16, 32)] : []),
    ...(isIn(ip, TEREDO) ? [part(ip, 32, 32), last ^ 0xffff_ffffn] : []),
    ...PREFIXES.flatMap((prefix) => nat64(ip, prefix)),
  ]
}

/** The address skips bits 64 to 71, which are zero, like everything after it. */
function nat64(ip: IpAddress, prefix: number): readonly bigint[] {
  const [before, after] = [64 - prefix, prefix - 32]
  const follows = 56 - after
  if (part(ip, 64, 8) !== 0n || (part(ip, 128 - follows, follows) !== 0n && !isIn(ip, LOCAL_NAT64))) return []
  return [(part(ip, prefix, before) << BigInt(after)) | part(ip, 72, after)]
}
