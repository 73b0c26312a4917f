/**
 * Which places a plan may talk to. Public addresses are open unless only named hosts are; private ones open only to a host
 * or an address that is named, and link-local ones (metadata services) and reserved ones only to a named address. A
 * verdict is a reason in words, or undefined when there is none against it.
 */
import { problem, type Problem } from '../problems/problem.ts'
import { ok, refused, type Result } from '../result.ts'
import { addressKind, inRange, parseIp, parseRange, type AddressKind, type IpRange } from './ip-address.ts'

/** Where a request goes, as the URL standard reads it. */
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
  /** Nothing is open but what is named. */
  readonly onlyNamed: boolean
}

const NAME = /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/
const PORT = /^[1-9]\d{0,4}$/
/** Kinds of addresses that naming a host opens for it: its DNS could otherwise lead to a metadata service. */
const OPEN_TO_NAMES: ReadonlySet<AddressKind> = new Set(['public', 'loopback', 'private'])

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

/** An IPv6 address takes a port only when it stands in brackets. */
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

/** Before anything is looked up: a host that could never be reached is not even asked for in DNS. */
export function judgeTarget(policy: EgressPolicy, target: Target): string | undefined {
  if (target.scheme !== 'http' && target.scheme !== 'https') return `'${target.scheme}' is neither http nor https`
  if (target.host === '') return 'it names no host'
  if (parseIp(target.host) !== undefined) return judgeAddress(policy, target, target.host)
  const named = policy.allow.some((entry) => names(entry, target))
  const ranges = policy.allow.some((entry) => entry.range !== undefined)
  return policy.onlyNamed && !named && !ranges ? `${target.host} is not among the hosts that are allowed` : undefined
}

/** After DNS: each address a host has must be one that may be reached under this name. */
export function judgeAddress(policy: EgressPolicy, target: Target, address: string): string | undefined {
  const ip = parseIp(address)
  if (ip === undefined) return `${address} is not an address`
  const { port } = target
  const listed = policy.allow.some(
    ({ range, port: only }) => range !== undefined && (only === undefined || only === port) && inRange(ip, range),
  )
  if (listed) return undefined
  const kind = addressKind(ip)
  const by = policy.allow.filter((entry) => names(entry, target))
  if (kind === 'public' && (!policy.onlyNamed || by.length > 0)) return undefined
  if (OPEN_TO_NAMES.has(kind) && by.some((entry) => entry.below !== true)) return undefined
  const place = address === target.host ? address : `${target.host} leads to ${address}, which`
  return kind === 'public' ? `${place} is not among the hosts that are allowed` : `${place} is ${IN_WORDS[kind]}`
}

const IN_WORDS: Readonly<Record<Exclude<AddressKind, 'public'>, string>> = {
  loopback: 'this machine itself',
  private: 'in a private network',
  'link-local': 'a link-local address, where metadata services live',
  reserved: 'in a reserved range',
}
