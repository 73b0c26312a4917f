/**
 * People in a browser: to the issuer, back with a code, and a session in a sealed cookie until the token of the issuer ends, at most eight
 * hours. Nothing is kept of a session but that it was ended: in the store, so that it holds for every server on it, and after a restart. A
 * session never counts together with `Authorization`.
 */
import { randomBytes } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { Caller } from '../../../app/identity/caller.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { ApiKeyStore } from '../../../ports/api-keys.ts'
import type { SessionStore } from '../../../ports/idempotency.ts'
import type { SigningKeys } from '../../../ports/signing-keys.ts'
import { isGone, type TokenReader } from '../who/token-caller.ts'
import type { WhoAsks } from '../who/who-asks.ts'
import { cookieNames, cookieOf, dropCookie, setCookie, type CookieNames } from './cookies.ts'
import { EndedSessions, type SessionTimes } from './ended-sessions.ts'
import { IssuerClient, type LoginClient, type Returned, type Ties } from './issuer-client.ts'
import { returnAddress } from './return-to.ts'
import { Seals } from './seals.ts'

export interface BrowserLoginOptions {
  readonly client: LoginClient
  readonly keys: SigningKeys
  readonly read: TokenReader
  readonly store: Pick<ApiKeyStore, 'findTenant'> & SessionStore
  /** Epoch milliseconds. */
  readonly now: () => number
  /** A clock for durations, in milliseconds; default `performance.now`. */
  readonly elapsedMs?: () => number
}

export interface Onward {
  readonly location: string
  readonly cookies: readonly string[]
}

/** A login that is under way, as its cookie keeps it. */
interface Flow extends Ties {
  readonly returnTo: string
  readonly endsAt: number
}

interface Session {
  readonly caller: Caller
  readonly times: SessionTimes
}

const CHANCE_BYTES = 32
const HOME = '/'

export class BrowserLogin {
  /** Of this server, as browsers know it. */
  readonly origin: string
  readonly #options: BrowserLoginOptions
  readonly #issuer: IssuerClient
  readonly #seals: Seals
  readonly #names: CookieNames
  readonly #ended = new EndedSessions()

  constructor(options: BrowserLoginOptions) {
    const { client, keys, elapsedMs = () => performance.now() } = options
    const { issuer, clientId, redirectUrl } = client
    this.#options = options
    this.#issuer = new IssuerClient(client, elapsedMs)
    this.#seals = new Seals({ keys, issuer, clientId, elapsedMs })
    this.#names = cookieNames(new URL(redirectUrl))
    this.origin = new URL(redirectUrl).origin
  }

  /** Who has a session here. */
  readonly who: WhoAsks = async ({ header }) => {
    if (header('authorization') !== undefined) return undefined
    const session = await this.#session(header('cookie'))
    if (session === undefined || (await isGone(this.#options.store, session.caller.tenantId))) return undefined
    return session.caller
  }

  async begin(returnTo: string | undefined, cookie: string | undefined): Promise<Onward> {
    const now = this.#options.now()
    const flow: Flow = {
      state: chance(),
      nonce: chance(),
      verifier: chance(),
      returnTo: returnAddress(returnTo ?? HOME, this.origin),
      endsAt: now + LIMITS.loginMs,
    }
    const location = await this.#issuer.address(flow)
    // Tabs whose session has ended may all come at once.
    const flows = [flow, ...(await this.#flows(cookie))].slice(0, LIMITS.loginsAtOnce)
    return { location, cookies: [await this.#flowCookie(flows, now)] }
  }

  /** A session of before is over, whoever it was: nobody goes on with an id that was known before the login. */
  async finish(returned: Returned, cookie: string | undefined): Promise<Onward & { readonly caller: Caller }> {
    const { client, read, now } = this.#options
    const flows = await this.#flows(cookie)
    const flow = flows.find(({ state }) => state === returned.state)
    if (flow === undefined)
      return fail('LOGIN_FAILED', 'this browser did not begin such a login here, or began it too long ago')
    const token = await this.#issuer.idToken(returned, flow)
    const known = await read(token, client.clientId)
    if (known === undefined)
      return fail('LOGIN_FAILED', 'the issuer knows you, but its token names no person of a tenant of this server')
    const at = now()
    const endsAt = Math.min(known.endsAt, at + LIMITS.sessionMs)
    const before = await this.#session(cookie)
    if (before !== undefined) await this.#end(before)
    const { tenantId: tenant, actorId: actor, roles, specialties = [] } = known.caller
    const more = specialties.length === 0 ? {} : { specialties: [...specialties] }
    const session = { sid: chance(), tenant, actor, roles: [...roles], ...more }
    const sealed = await this.#seals.seal('session', session, at, endsAt)
    const { session: name, isSecure } = this.#names
    return {
      caller: known.caller,
      location: flow.returnTo,
      cookies: [
        setCookie(name, sealed, endsAt - at, isSecure),
        await this.#flowCookie(
          flows.filter((one) => one !== flow),
          at,
        ),
      ],
    }
  }

  /** The caller whose session it was. */
  async end(cookie: string | undefined): Promise<{ readonly caller?: Caller; readonly cookies: readonly string[] }> {
    const { session, isSecure } = this.#names
    const found = await this.#session(cookie)
    if (found !== undefined) await this.#end(found)
    const cookies = [dropCookie(session, isSecure)]
    return found === undefined ? { cookies } : { caller: found.caller, cookies }
  }

  logoutAddress(): Promise<string | undefined> {
    return this.#issuer.logoutAddress()
  }

  /** For what stays open longer than a request. The result takes it back. */
  onEnd({ id, endsAt }: NonNullable<Caller['session']>, tell: () => void): () => void {
    return this.#ended.watch({ sessionId: id, endsAt }, this.#options.now(), tell)
  }

  async #session(cookie: string | undefined): Promise<Session | undefined> {
    const sealed = cookieOf(cookie, this.#names.session)
    const value = sealed === undefined ? undefined : await this.#seals.open('session', sealed, this.#options.now())
    const session = value === undefined ? undefined : sessionOf(value)
    if (session === undefined || this.#ended.isEnded(session.times)) return undefined
    const { tenantId } = session.caller
    return (await this.#options.store.isSessionEnded(tenantId, session.times.sessionId)) ? undefined : session
  }

  /** A logout that cannot be kept is none: whoever asked for it is told, and the session goes on. */
  async #end({ times, caller }: Session): Promise<void> {
    await this.#options.store.endSession(caller.tenantId, times.sessionId, times.endsAt)
    this.#ended.end(times, this.#options.now())
  }

  async #flows(cookie: string | undefined): Promise<readonly Flow[]> {
    const now = this.#options.now()
    const sealed = cookieOf(cookie, this.#names.login)
    const value = sealed === undefined ? undefined : await this.#seals.open('login', sealed, now)
    const flows = (value?.['flows'] ?? []) as readonly Flow[]
    return flows.filter(({ endsAt }) => now < endsAt)
  }

  async #flowCookie(flows: readonly Flow[], now: number): Promise<string> {
    const { login, isSecure } = this.#names
    if (flows.length === 0) return dropCookie(login, isSecure)
    const sealed = await this.#seals.seal('login', { flows }, now, now + LIMITS.loginMs)
    return setCookie(login, sealed, LIMITS.loginMs, isSecure)
  }
}

/** Nobody but this server can have written it. */
function sessionOf({ sid, tenant, actor, roles, specialties, iat, exp }: JWTPayload): Session {
  const { projectId, environmentId } = LOCAL_PRINCIPAL
  const [begunAt, endsAt] = [Number(iat) * 1_000, Number(exp) * 1_000]
  const id = String(sid)
  return {
    times: { sessionId: id, begunAt, endsAt },
    caller: {
      tenantId: String(tenant),
      actorId: String(actor),
      projectId,
      environmentId,
      kind: 'user',
      roles: roles as readonly string[],
      ...(specialties === undefined ? {} : { specialties: specialties as readonly string[] }),
      session: { id, endsAt },
    },
  }
}

function chance(): string {
  return randomBytes(CHANCE_BYTES).toString('base64url')
}
