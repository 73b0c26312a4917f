/** URLs that must never lead to a connection: addresses that are not public in every spelling, names, schemes, users. */

/** Loopback, private, link-local with metadata services, shared, reserved, multicast, broadcast. */
const V4 = [
  '127.0.0.1',
  '127.255.255.254',
  '127.0.1.1',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.0.1',
  '192.168.255.1',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.254',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '0.0.0.0',
  '0.1.2.3',
]

/** The forms that resolvers, C libraries and browsers read as one and the same address. */
function spellings(address: string): readonly string[] {
  const parts = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = parts
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (value: number): string => `0x${value.toString(16)}`
  const octal = (value: number): string => `0${value.toString(8)}`
  return [
    address,
    `${address}.`,
    String(whole),
    hex(whole),
    octal(whole),
    hex(whole).toUpperCase().replace('0X', '0x'),
    parts.map(hex).join('.'),
    parts.map(octal).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    parts.map((part) => octal(part).padStart(6, '0')).join('.'),
    address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    address.replaceAll('.', '。'),
    address.replaceAll(/\d/g, (digit) => `%3${digit}`),
  ]
}

const groups = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** IPv6 forms that carry an IPv4 address: mapped, compatible, translated, NAT64, 6to4, Teredo. */
function carriers(address: string): readonly string[] {
  const tail = groups(address)
  return [
    `::ffff:${address}`,
    `::ffff:${tail}`,
    `0:0:0:0:0:ffff:${address}`,
    `::FFFF:${tail.toUpperCase()}`,
    `::${address}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${tail}`,
    `2002:${tail}::`,
    `2002:${tail}::1`,
    `2001:0:${tail}::1`,
  ]
}

const V6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  '::0.0.0.1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'fc00::1',
  'fd00::1',
  'fd12:3456:789a::1',
  'fd00:ec2::254',
  'ff02::1',
  'ff05::2',
  '100::1',
  '2001:db8::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '3fff::1',
  '5f00::1',
  '4000::1',
  'fe80::1%25eth0',
  'fe80::1%eth0',
  '::1%25lo',
]

/** Names whose addresses are not public, whatever they are called. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1'],
  'localhost.': ['::1'],
  'printer.local': ['192.168.1.9'],
  'metadata.google.internal': ['169.254.169.254'],
  'metadata.google.internal.': ['169.254.169.254'],
  'instance-data': ['169.254.169.254'],
  'rebind.example': ['10.1.2.3'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  '0x7f000001.example': ['127.0.0.1'],
  'one-of-two.example': ['93.184.215.14', '10.0.0.1'],
  'one-of-two-the-other-way.example': ['10.0.0.1', '93.184.215.14'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'ula.example': ['fd00::17'],
  'zone.example': ['fe80::1%eth0'],
  'nat64.example': ['64:ff9b::a00:1'],
  'sixtofour.example': ['2002:a00:1::'],
  'unspecified.example': ['0.0.0.0'],
  'shared.example': ['100.64.7.7'],
  'odd.example': ['0177.0.0.1'],
  'empty-answer.example': [''],
  'xn--bcher-kva.example': ['172.20.0.1'],
}

const HOSTS = [
  ...V4.flatMap(spellings),
  ...['127.0.0.1', '10.0.0.1', '169.254.169.254'].flatMap(carriers).map((host) => `[${host}]`),
  ...V6.map((host) => `[${host}]`),
  ...Object.keys(NAMES),
  'LOCALHOST',
  'bücher.example',
  'ⓛocalhost',
  'local%68ost',
]

const SCHEMES = ['file', 'ftp', 'gopher', 'dict', 'ldap', 'tftp', 'ws', 'wss', 'sftp', 'jar', 'netdoc', 'unix', 'blob']
const WHOLE = [
  ...SCHEMES.map((scheme) => `${scheme}://public.example/`),
  'file:///etc/passwd',
  'data:application/json,{}',
  'javascript:alert(1)',
  'about:blank',
  'mailto:a@public.example',
  'blob:http://public.example/1',
  'http:\\\\127.0.0.1/',
  'http:///127.0.0.1/',
  'http:127.0.0.1',
  'http://127.0.0.1\\@public.example/',
  'http://127.0.0.1#@public.example/',
  'http://127.0.0.1?@public.example/',
  'http://\t127.0.0.1/',
  'http://127.0.0.1:80:80/',
  'http://127.0.0.1 .public.example/',
  'http://public.example@127.0.0.1/',
  'http://user@public.example/',
  'http://user:password@public.example/',
  'https://:password@public.example/',
  'http://public.example:99999/',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
  'http://0x100000000/',
  'http://4294967296/',
  'http://[::1/',
  'http://',
  '',
]

const PORTS = ['', ':80', ':8080', ':443', ':22']

export const REFUSED_URLS: readonly string[] = [
  ...new Set([
    ...HOSTS.map(
      (host, at) => `${at % 2 === 0 ? 'http' : 'https'}://${host}${PORTS[at % PORTS.length] ?? ''}/path?q=1`,
    ),
    ...WHOLE,
  ]),
]
