/** Opens the server on an address, and closes it: no new requests, what is under way ends, streams are told to come back. */
import { BoundedCache } from '../../app/schemas/bounded-cache.ts'
import type { Caller } from '../../app/identity/caller.ts'
import type { Duty } from '../../core/config/settings.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Clockwork } from '../../library/clockwork/clockwork.ts'
import type { Keelson } from '../../library/keelson/keelson.ts'
import { onBehalf } from '../../library/behalf/on-behalf.ts'
import { partsOf, storeOf } from '../../library/services-of.ts'
import type { Authorizer } from '../../ports/authorizer.ts'
import type { BoundRoute } from './serve/bound-route.ts'
import { BOUND_ROUTES } from './routes/table.ts'
import type { LoginWays } from './login/login-ways.ts'
import { DEFENCE, type DefenceLimits } from './defence/defence-limits.ts'
import type { PageFiles } from './page/page-files.ts'
import { httpServer } from './serve/http-server.ts'
import { alertingAuthorizer } from './serve/alerting.ts'
import { openAudit } from './serve/open-audit.ts'
import { Metrics } from './serve/metrics.ts'
import { Pressure } from './defence/pressure.ts'
import { RequestRates } from './defence/request-rates.ts'
import { UnderWay } from './defence/under-way.ts'
import { sweepRequests, type Every } from './serve/sweep-requests.ts'
import type { StreamSettings, World } from './serve/world.ts'
import type { WhoAsks } from './who/who-asks.ts'

export interface ServerOptions {
  readonly keelson: Keelson
  readonly who: WhoAsks
  readonly authorizer: Authorizer
  /** How people log in; `who` knows their sessions. */
  readonly login?: LoginWays | undefined
  readonly host: string
  /** 0: one that is free. */
  readonly port: number
  /** Further names that requests may give as `Host`. */
  readonly hosts?: readonly string[]
  /** Origins whose pages may ask (CORS); none unless they are named. */
  readonly origins?: readonly string[]
  readonly trustProxy?: readonly string[]
  readonly limits?: Partial<DefenceLimits>
  /** A clock for durations, in milliseconds; default `performance.now`. */
  readonly elapsedMs?: () => number
  /** What the server does again and again is done by it; default: timers that keep no process alive. */
  readonly every?: Every
  readonly served?: World['served']
  readonly dev?: boolean
  /** Made before Keelson is opened where commits are to be measured too. */
  readonly metrics?: Metrics
  readonly now: () => number
  readonly uuid: () => string
  readonly tell: World['tell']
  readonly streams?: Partial<StreamSettings>
  /** What this process does; default: everything but the clockwork. Without `api` it answers only about itself. */
  readonly duties?: readonly Duty[]
  readonly clockwork?: Clockwork | undefined
  /** The page for people; without it the server answers programs alone. */
  readonly page?: PageFiles | undefined
}

export interface OpenServer {
  readonly url: string
  close(): Promise<void>
}

const CALLERS_KEPT = 1_000
const STREAMS: StreamSettings = {
  keepAliveMs: LIMITS.streamKeepAliveMs,
  perPrincipal: LIMITS.streamsPerPrincipal,
  whoMs: LIMITS.streamWhoMs,
  movesMs: LIMITS.streamMovesMs,
}
const ALL_BUT_CLOCKWORK: readonly Duty[] = ['api', 'engine', 'followers']
/** Answered by every process, also by one without `api`: who watches it asks for these. */
const isOfProcess = ({ contract }: BoundRoute): boolean => contract.tag === 'process' && contract.access === 'anyone'
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]', '::1']

export async function openServer(options: ServerOptions): Promise<OpenServer> {
  const { keelson, who, host, port, dev = false, now, uuid, tell } = options
  const { metrics = new Metrics(), origins = [], trustProxy = [], elapsedMs, served = () => undefined } = options
  const { duties = ALL_BUT_CLOCKWORK, login } = options
  const limits = { ...DEFENCE, ...options.limits }
  const pressure = new Pressure(limits)
  const underWay = new UnderWay()
  const unfollow = metrics.follow(keelson)
  const stopping = new AbortController()
  const known = new BoundedCache<string, Keelson>(CALLERS_KEPT)
  const audit = await openAudit(keelson, tell)
  const world: World = {
    keelson,
    of: (caller) => ofCaller(known, keelson, caller),
    who,
    authorizer: alerting(options),
    door: audit.authorizer(alerting(options)),
    login,
    note: audit.note,
    metrics,
    dev,
    now,
    uuid,
    tell,
    hosts: namesOf(options),
    origins: new Set(origins),
    trustProxy,
    limits,
    rates: new RequestRates(limits, elapsedMs),
    pressure,
    underWay,
    served,
    stopping: stopping.signal,
    streams: { ...STREAMS, ...options.streams },
    undertaken: { duties, clockwork: options.clockwork },
  }
  const routes = duties.includes('api') ? BOUND_ROUTES : BOUND_ROUTES.filter(isOfProcess)
  const page = duties.includes('api') ? options.page : undefined
  const server = httpServer(world, routes.map(audit.route), page)
  const endSweep = sweepRequests({ store: storeOf(keelson), now, tell, every: options.every })
  const endWatching = (): void => (endSweep(), unfollow())
  let url: string
  try {
    url = await server.listen({ host, port })
  } catch (thrown) {
    endWatching()
    pressure.close()
    return fail('ADDRESS_UNUSABLE', `cannot listen on ${host}:${port}: ${(thrown as Error).message}`)
  }
  const stop = async (): Promise<void> => {
    stopping.abort()
    endWatching()
    await underWay.ended(limits.stopRequestsMs)
    pressure.close()
    await server.close()
    await audit.close()
  }
  let stopped: Promise<void> | undefined
  return { url, close: () => (stopped ??= stop()) }
}

function alerting({ keelson, authorizer, now }: ServerOptions): Authorizer {
  return alertingAuthorizer(authorizer, { tell: (alert) => partsOf(keelson).alerts?.alert(alert), now })
}

/** Names that requests may give as `Host`; also that under which browsers log in. */
function namesOf({ host, hosts = [], login }: ServerOptions): ReadonlySet<string> {
  const own = login?.browser === undefined ? [] : [new URL(login.browser.origin).hostname]
  return new Set([...LOOPBACK, host, ...hosts, ...own].map((name) => name.toLowerCase()))
}

/** One for each actor of a tenant: what it holds is small, and a busy caller is not made anew for every request. */
function ofCaller(known: BoundedCache<string, Keelson>, keelson: Keelson, caller: Caller): Keelson {
  const { tenantId, projectId, environmentId, actorId } = caller
  const key = JSON.stringify([tenantId, projectId, environmentId, actorId])
  const before = known.get(key)
  if (before !== undefined) return before
  const made = onBehalf(keelson, caller)
  known.set(key, made)
  return made
}
