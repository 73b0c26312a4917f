/**
 * Logins to servers, each in a file of the user's own (0600) in the configuration folder of the user. A file that others can read or write
 * is not used: somebody else may have put it there, or have its token.
 */
import { hash, randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { readJsonText } from '../../../core/json/read-json-text.ts'
import { fail } from '../../../core/problems/problem.ts'

export interface KeptLogin {
  /** The address of the server, as `serverName` writes it. */
  readonly server: string
  readonly issuer: string
  readonly clientId: string
  /** What the issuer is told besides, so that the token is for this server. */
  readonly parameters: Readonly<Record<string, string>>
  readonly accessToken: string
  readonly refreshToken?: string
  /** Epoch milliseconds; absent: the issuer did not say. */
  readonly expiresAt?: number
}

/** One spelling for one server. */
export function serverName(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

export function readLogin(url: string): KeptLogin | undefined {
  const path = fileOf(url)
  const text = privateText(path)
  if (text === undefined) return undefined
  const read = readJsonText(text)
  const login = read.ok ? (read.value as Partial<KeptLogin> | null) : undefined
  if (typeof login?.accessToken !== 'string' || login.server !== serverName(url))
    return fail('FILE_UNUSABLE', `${path} is not a login that keelson kept: remove it and log in again`)
  return login as KeptLogin
}

/** It appears whole, in place of one of before. */
export function keepLogin(login: KeptLogin): void {
  const path = fileOf(login.server)
  const draft = `${path}.${randomUUID()}`
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${JSON.stringify(login, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  } catch (thrown) {
    rmSync(draft, { force: true })
    fail('FILE_UNUSABLE', `${path} cannot be written: ${(thrown as NodeJS.ErrnoException).code ?? 'unknown'}`)
  }
}

export function forgetLogin(url: string): void {
  rmSync(fileOf(url), { force: true })
}

/** Beside the login, for who renews it. */
export function lockOf(url: string): string {
  return `${fileOf(url)}.lock`
}

const HASH_CHARS = 16

function fileOf(url: string): string {
  const name = serverName(url)
  const host = new URL(name).hostname.replaceAll(/[^A-Za-z0-9.-]/g, '_').slice(0, 100)
  return join(folder(), `${host}-${hash('sha256', name, 'hex').slice(0, HASH_CHARS)}.json`)
}

function folder(): string {
  const isWindows = process.platform === 'win32'
  const given = process.env[isWindows ? 'APPDATA' : 'XDG_CONFIG_HOME'] ?? ''
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'keelson', 'logins')
}

const OTHERS = 0o077

function privateText(path: string): string | undefined {
  let file: number
  try {
    // Absent on Windows.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (thrown) {
    const { code = 'unknown' } = thrown as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? undefined
      : fail('FILE_UNUSABLE', `${path} cannot be read: ${code}`)
  }
  try {
    const { mode, uid } = fstatSync(file)
    const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS) === 0)
    return isOurs
      ? readFileSync(file, 'utf8')
      : fail('FILE_UNUSABLE', `${path} is open to others: remove it and log in again`)
  } finally {
    closeSync(file)
  }
}
