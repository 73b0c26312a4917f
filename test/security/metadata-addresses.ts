/** Where clouds answer machines about themselves, credentials included, and the IPv6 forms that carry such an IPv4 address. */

/** AWS, GCP, Azure and most others; GKE; ECS; EKS; Tencent; Scaleway; Azure's wire server; Oracle; Alibaba. */
export const METADATA_V4 = [
  '169.254.169.254',
  '169.254.169.252',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.0.23',
  '169.254.42.42',
  '168.63.129.16',
  '192.0.0.192',
  '100.100.100.200',
]

/** AWS (IMDS, EKS), GCP, Oracle, Scaleway, Linode, OpenStack. */
export const METADATA_V6 = [
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fd00:a9fe:a9fe::1',
  'fe80::a9fe:a9fe',
]

function hexOf(address: string): string {
  const parts = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))
  return parts.join('')
}

const grouped = (digits: string): string => digits.match(/.{4}/g)?.join(':') ?? ''

/** Mapped, compatible, translated, NAT64 with its own and with others' prefixes of every length, 6to4, Teredo, ISATAP. */
export function carriersOf(address: string): readonly string[] {
  const v4 = hexOf(address)
  const tail = grouped(v4)
  const inverted = (0xffff_ffff - Number.parseInt(v4, 16)).toString(16).padStart(8, '0')
  const prefix = '20014860777788889999'
  const nat64 = (length: 32 | 40 | 48 | 56 | 64): string => {
    const head = prefix.slice(0, length / 4)
    const split = (64 - length) / 4
    return grouped(`${head}${v4.slice(0, split)}00${v4.slice(split)}`.padEnd(32, '0'))
  }
  return [
    `::ffff:${address}`,
    `::ffff:${tail}`,
    `::${address}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${tail}`,
    `64:ff9b:1:${v4.slice(0, 4)}:${grouped(`00${v4.slice(4)}00`)}::`,
    `2002:${tail}::1`,
    `2001:0:${tail}::1`,
    `2001:0:808:808:0:0:${grouped(inverted)}`,
    `2606:4700::5efe:${tail}`,
    `2606:4700::200:5efe:${tail}`,
    `2001:4860:64::${tail}`,
    nat64(32),
    nat64(40),
    nat64(48),
    nat64(56),
    nat64(64),
  ]
}
