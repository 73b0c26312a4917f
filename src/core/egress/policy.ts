/**
 * Which targets a plan may connect to. Public addresses are open unless only named hosts are; private ones are open
 * only to a named host or address, reserved ones only to a named address or range, link-local ones and metadata
 * services only to an address that is named alone. A verdict is the reason of a refusal in words, or undefined.
 */
import { problem, type Problem } from '../problems/problem.ts'
import { ok, refused, type Result } from '../result.ts'
import {
  addressKind,
  inRange,
  parseIp,
  parseRange,
  type AddressKind,
  type IpAddress,
  type IpRange,
} from './ip-address.ts'
import { isMetadata } from './metadata.ts'

/** The target of a request, as the URL standard parses it. */
export interface Target {
  /** Without the colon. */
  readonly scheme: string
  /** Lower case, IDN as punycode, IPv6 without brackets. */
  readonly host: string
  readonly port: number
}

interface Allowed {
  /** A host by its name; `*.example.com` is every host below it. */
  readonly name?: string
  readonly below?: boolean
  readonly range?: IpRange
  readonly port?: number
}

export interface EgressPolicy {
  readonly allow: readonly Allowed[]
  /** Only named targets are open. */
  readonly onlyNamed: boolean
}

const NAME = /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/
const PORT = /^[1-9]\d{0,4}$/
/** Kinds of addresses that a host name opens: otherwise its DNS could lead to a metadata service. */
const OPEN_TO_NAMES: ReadonlySet<PlaceKind> = new Set(['public', 'loopback', 'private'])
/** A named range means the services in it, not the machine's own credentials. */
const CLOSED_TO_RANGES: ReadonlySet<PlaceKind> = new Set(['metadata', 'link-local'])

type PlaceKind = AddressKind | 'metadata'

export function egressPolicy(allow: readonly string[], onlyNamed = false): Result<EgressPolicy> {
  const entries = allow.map((text) => ({ text, entry: parseAllowed(text.trim().toLowerCase()) }))
  const wrong = entries.filter(({ entry }) => entry === undefined)
  const [first, ...rest] = wrong.map(({ text }): Problem => {
    const message = `'${text}' is neither a host such as api.example.com nor an address such as 10.0.0.0/8`
    return problem('EGRESS_ALLOW_INVALID', message)
  })
  if (first !== undefined) return refused(first, ...rest)
  return ok({ allow: entries.flatMap(({ entry }) => (entry === undefined ? [] : [entry])), onlyNamed })
}

function parseAllowed(text: string): Allowed | undefined {
  const { host, port } = splitPort(text)
  if (port !== undefined && (!PORT.test(port) || Number(port) > 65_535)) return undefined
  const at = port === undefined ? {} : { port: Number(port) }
  const range = parseRange(host)
  if (range !== undefined) return { range, ...at }
  const below = host.startsWith('*.')
  const name = withoutDot(below ? host.slice(2) : host)
  return NAME.test(name) && !/^[\d.]+$/.test(name) ? { name, below, ...at } : undefined
}

/** An IPv6 address takes a port only in brackets. */
function splitPort(text: string): { readonly host: string; readonly port?: string } {
  const [, inBrackets, after] = /^\[([^\]]*)\](?::(.*))?$/.exec(text) ?? []
  if (inBrackets !== undefined) return { host: inBrackets, ...(after === undefined ? {} : { port: after }) }
  const [host = '', port, ...more] = text.split(':')
  return port === undefined || more.length > 0 ? { host: text } : { host, port }
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}

function names(entry: Allowed, { host, port }: Target): boolean {
  if (entry.name === undefined || (entry.port !== undefined && entry.port !== port)) return false
  const asked = withoutDot(host)
  return entry.below === true ? asked.endsWith(`.${entry.name}`) : asked === entry.name
}

/** Before any look-up: a host that could never be reached is not queried in DNS. */
export function judgeTarget(policy: EgressPolicy, target: Target): string | undefined {
  if (target.scheme !== 'http' && target.scheme !== 'https') return `'${target.scheme}' is neither http nor https`
  if (target.host === '') return 'it names no host'
  if (parseIp(target.host) !== undefined) return judgeAddress(policy, target, target.host)
  const named = policy.allow.some((entry) => names(entry, target))
  const ranges = policy.allow.some((entry) => entry.range !== undefined)
  return policy.onlyNamed && !named && !ranges ? `${target.host} is not among the hosts that are allowed` : undefined
}

/** After DNS: each address of a host must be allowed under this name. */
export function judgeAddress(policy: EgressPolicy, target: Target, address: string): string | undefined {
  const ip = parseIp(address)
  if (ip === undefined) return `${address} is not an address`
  const kind = isMetadata(ip) ? 'metadata' : addressKind(ip)
  if (policy.allow.some((entry) => lists(entry, ip, kind, target.port))) return undefined
  const by = policy.allow.filter((entry) => names(entry, target))
  if (kind === 'public' && (!policy.onlyNamed || by.length > 0)) return undefined
  if (OPEN_TO_NAMES.has(kind) && by.some((entry) => entry.below !== true)) return undefined
  const place = address === target.host ? address : `${target.host} leads to ${address}, which`
  return kind === 'public' ? `${place} is not among the hosts that are allowed` : `${place} is ${IN_WORDS[kind]}`
}

function lists({ range, port: only }: Allowed, ip: IpAddress, kind: PlaceKind, port: number): boolean {
  if (range === undefined || (only !== undefined && only !== port) || !inRange(ip, range)) return false
  return !CLOSED_TO_RANGES.has(kind) || range.prefix === (range.version === 4 ? 32 : 128)
}

const IN_WORDS: Readonly<Record<Exclude<PlaceKind, 'public'>, string>> = {
  metadata: 'where a cloud keeps its metadata and credentials, which no range opens',
  loopback: 'this machine itself',
  private: 'in a private network',
  'link-local': 'a link-local address, where metadata services live, which no range opens',
  reserved: 'in a reserved range',
}
