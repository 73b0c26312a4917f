/**
 * The one connection of the page to its server: who asks, and whether the server answers. A key is kept for this tab alone and
 * goes with it; the page never writes it anywhere else.
 */
import { connect, type Client, type Me } from '../../../src/client/connect.ts'
import { openConnection, type Connection } from '../../../src/client/connection.ts'
import { patientSleep } from './patient-sleep.ts'
import { isStream, patientStream } from './patient-stream.ts'
import { noteServerTime } from './server-clock.ts'
import { Watched } from './watched.ts'

const KEY = 'keelson.key'
const ACT_AS = 'keelson.act-as'

export interface Session {
  readonly client: Client
  readonly connection: Connection
}

/** `undefined` until it is known; `null`: the server wants to know who asks. */
export const me = new Watched<Me | null | undefined>(undefined)
/** The server knew who asks and does not any more: a session ended, or a key was revoked, while the page was open. */
export const hasEnded = new Watched(false)
/** Whether the last request reached the server. */
export const isHere = new Watched(true)
export const session = new Watched<Session>(opened())

function opened(): Session {
  const apiKey = sessionStorage.getItem(KEY)
  const person = sessionStorage.getItem(ACT_AS)
  const options = {
    url: window.location.origin,
    ...(apiKey === null ? {} : { apiKey }),
    ...(person === null ? {} : { actAs: person }),
    sleep: patientSleep(isHere, look),
    fetch: (url: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
      const { signal } = init ?? {}
      if (signal === undefined || signal === null || !isStream(init)) return asked(url, init)
      return patientStream((until) => asked(url, { ...init, signal: until }), signal)
    },
  }
  const asked = async (url: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    const answer = await fetched(url, init)
    if (answer.status === NOT_AUTHENTICATED && session.get() === own) noteEnded()
    return answer
  }
  const own = { client: connect(options), connection: openConnection(options) }
  return own
}

const NOT_AUTHENTICATED = 401

/** What the page shows now is refused, whatever it asks next: it asks who one is, and goes on where it is. */
function noteEnded(): void {
  if (me.get() === null || me.get() === undefined) return
  hasEnded.set(true)
  me.set(null)
}

/** Notes whether the server answered. */
async function fetched(url: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(url, init)
    isHere.set(true)
    noteServerTime(answer.headers.get('date'))
    return answer
  } catch (thrown) {
    // Left by the page itself, such as a stream of a page that was closed.
    if (init?.signal?.aborted !== true) noteAway()
    throw thrown
  }
}

const LOOK_AGAIN_MS = 2_000
let looking: ReturnType<typeof setTimeout> | undefined

/** Streams come back by themselves after a while; until then the server is asked whether it is there. */
function noteAway(): void {
  isHere.set(false)
  looking ??= setTimeout(() => {
    looking = undefined
    look()
  }, LOOK_AGAIN_MS)
}

/** The answer, or that there is none, is noted where the request is sent. */
function look(): void {
  session
    .get()
    .client.call('getHealth')
    .catch(() => undefined)
}

/** Throws what the server refuses for another reason than the missing key. */
export async function findMe(): Promise<void> {
  const asked = session.get()
  try {
    const found = await asked.client.me()
    if (session.get() !== asked) return
    if (JSON.stringify(found) !== JSON.stringify(me.get())) me.set(found)
    hasEnded.set(false)
  } catch (thrown) {
    if (codeOf(thrown) !== 'NOT_AUTHENTICATED') throw thrown
    me.set(null)
  }
}

export async function takeKey(key: string): Promise<void> {
  sessionStorage.setItem(KEY, key)
  session.set(opened())
  await findMe()
}

/** On a server for development: asks as another person from now on; with an empty name as oneself. A refusal changes nothing. */
export async function actAs(name: string): Promise<void> {
  const before = sessionStorage.getItem(ACT_AS)
  keepName(name === '' ? null : name)
  try {
    await findMe()
  } catch (thrown) {
    keepName(before)
    throw thrown
  }
}

function keepName(name: string | null): void {
  if (name === null) sessionStorage.removeItem(ACT_AS)
  else sessionStorage.setItem(ACT_AS, name)
  session.set(opened())
}

export async function forgetKey(): Promise<void> {
  sessionStorage.removeItem(KEY)
  me.set(undefined)
  session.set(opened())
  await findMe()
}

export function hasKey(): boolean {
  return sessionStorage.getItem(KEY) !== null
}

/** Where a person logs in and comes back to this very page; `undefined` where the server has no login. */
export async function loginAddress(): Promise<string | undefined> {
  try {
    const { browser } = await session.get().client.call('getLogin')
    const { pathname, search } = window.location
    return browser ? `/login?${new URLSearchParams({ returnTo: pathname + search }).toString()}` : undefined
  } catch (thrown) {
    if (codeOf(thrown) === 'LOGIN_NOT_CONFIGURED') return undefined
    throw thrown
  }
}

/** Ends the session here; that at the issuer goes on. */
export async function logOut(): Promise<void> {
  await session.get().client.call('logout')
  me.set(undefined)
  await findMe()
}

function codeOf(thrown: unknown): unknown {
  return (thrown as { readonly code?: unknown }).code
}
