/**
 * The token of a kept login, renewed when it is nearly over. Several commands at once renew it once: an issuer that gives a new refresh token
 * each time takes the old one for stolen.
 */
import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fail, KeelsonError } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { keepLogin, lockOf, readLogin, type KeptLogin } from './kept-login.ts'

const NEARLY_MS = 30_000
const LOOK_MS = 50
/** Who holds the lock for longer has died. */
const LOCK_MS = 60_000

/** Undefined where nobody logged in. */
export function keptToken(url: string): (() => Promise<string>) | undefined {
  const login = readLogin(url)
  if (login === undefined) return undefined
  let current: KeptLogin = login
  return async () => {
    if (isOver(current)) current = await locked(url, () => renew(url, current))
    return current.accessToken
  }
}

function isOver({ expiresAt }: KeptLogin): boolean {
  return expiresAt !== undefined && expiresAt - NEARLY_MS <= Date.now()
}

async function renew(url: string, before: KeptLogin): Promise<KeptLogin> {
  // Another command may have been faster, or have logged out.
  const login = readLogin(url)
  if (login === undefined) return over(before)
  if (!isOver(login)) return login
  const { refreshToken, issuer, clientId, parameters } = login
  if (refreshToken === undefined) return over(login)
  const { findIssuer, renewed } = await import('./issuer.ts')
  try {
    const tokens = await renewed(await findIssuer({ issuer, clientId }), refreshToken, parameters)
    const next = { server: login.server, issuer, clientId, parameters, ...tokens }
    keepLogin(next)
    return next
  } catch (thrown) {
    if (thrown instanceof KeelsonError && thrown.code === 'LOGIN_FAILED') return over(login, thrown.message)
    throw thrown
  }
}

function over({ server, expiresAt }: KeptLogin, why?: string): never {
  const since = expiresAt === undefined ? '' : ` since ${isoFromMs(expiresAt)}`
  const more = why === undefined ? '' : ` (${why})`
  return fail(
    'LOGIN_OVER',
    `the login to ${server} is over${since}${more}; log in again: keelson login --server ${server}`,
  )
}

async function locked<T>(url: string, work: () => Promise<T>): Promise<T> {
  const path = lockOf(url)
  while (!isTaken(path)) await pause(LOOK_MS)
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

function isTaken(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (thrown) {
    const { code = 'unknown' } = thrown as NodeJS.ErrnoException
    if (code !== 'EEXIST') return fail('FILE_UNUSABLE', `${path} cannot be written: ${code}`)
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (made !== undefined && made + LOCK_MS < Date.now()) rmSync(path, { force: true })
    return false
  }
}
