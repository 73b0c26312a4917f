/**
 * The one connection of the page to its server: who asks, and whether the server answers. A key is kept for this tab alone and
 * goes with it; the page never writes it anywhere else.
 */
import { connect, type Client, type Me } from '../../../src/client/connect.ts'
import { openConnection, type Connection } from '../../../src/client/connection.ts'
import { patientSleep } from './patient-sleep.ts'
import { Watched } from './watched.ts'

const KEY = 'keelson.key'
const ACT_AS = 'keelson.act-as'

export interface Session {
  readonly client: Client
  readonly connection: Connection
}

/** `undefined` until it is known; `null`: the server wants to know who asks. */
export const me = new Watched<Me | null | undefined>(undefined)
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
    fetch: async (...given: Parameters<typeof fetch>): Promise<Response> => {
      try {
        const answer = await fetch(...given)
        isHere.set(true)
        return answer
      } catch (thrown) {
        // Left by the page itself, such as a stream of a page that was closed.
        if (given[1]?.signal?.aborted !== true) noteAway()
        throw thrown
      }
    },
  }
  return { client: connect(options), connection: openConnection(options) }
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
  try {
    me.set(await session.get().client.me())
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
  await findMe()
}

function codeOf(thrown: unknown): unknown {
  return (thrown as { readonly code?: unknown }).code
}
