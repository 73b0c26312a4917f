/**
 * Secrets from one file per tenant and environment: `<folder>/<tenantId>/<environmentId>.json` (nested objects are
 * paths) or `.env` (NAME=value lines). The file is read again for every attempt, so a rotated value needs no restart; a
 * file that other users may read is refused, and no message ever quotes it.
 */
import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readJsonText } from '../../core/json/read-json-text.ts'
import { fail } from '../../core/problems/problem.ts'
import { linkAt, refuseLink } from '../../core/state-link.ts'
import type { SecretScope, SecretsProvider, SecretValue } from '../../ports/secrets.ts'
import { pathFor } from './reference.ts'

interface SecretsFile {
  readonly version: string
  readonly lookUp: (path: string) => string | undefined
}

const FOLDER_NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$/
const OTHERS = 0o077

export function fileSecrets(folder: string): SecretsProvider {
  return {
    async resolve(refs, scope) {
      const found = new Map<string, SecretValue>()
      const wanted = refs.flatMap((ref) => {
        const path = pathFor('file', ref)
        return path === undefined ? [] : [{ ref, path }]
      })
      if (wanted.length === 0) return found
      const files = await filesOf(folder, scope)
      for (const { ref, path } of wanted) {
        for (const { lookUp, version } of files) {
          const value = lookUp(path)
          if (value !== undefined && value !== '') found.set(ref, { value, version })
        }
      }
      return found
    },
  }
}

async function filesOf(folder: string, { tenantId, environmentId }: SecretScope): Promise<readonly SecretsFile[]> {
  // Names that could lead out of their folder have no secrets.
  if (!FOLDER_NAME.test(tenantId) || !FOLDER_NAME.test(environmentId)) return []
  // The exact name: on a file system that ignores case, another tenant's file would answer too.
  if (!(await namesIn(folder)).includes(tenantId)) return []
  const own = join(folder, tenantId)
  if ((await lstat(own)).isSymbolicLink()) linkAt(own)
  const names = await namesIn(own)
  const textOf = (name: string): Promise<PrivateText | undefined> | undefined =>
    names.includes(name) ? privateText(join(own, name)) : undefined
  const base = join(own, environmentId)
  const env = await textOf(`${environmentId}.env`)
  const json = await textOf(`${environmentId}.json`)
  return [
    ...(env === undefined ? [] : [envFile(env.text, env.version)]),
    ...(json === undefined ? [] : [jsonFile(json.text, json.version, `${base}.json`)]),
  ]
}

function envFile(text: string, version: string): SecretsFile {
  const names = parseEnv(text)
  return { version, lookUp: (path) => (Object.hasOwn(names, path) ? names[path] : undefined) }
}

function jsonFile(text: string, version: string, file: string): SecretsFile {
  // A secret is used as text: a long number keeps its digits.
  const reading = readJsonText(text, { bigints: 'text' })
  if (reading.ok) return { version, lookUp: (path) => leafAt(reading.value, path) }
  const { kind, line, column } = reading.fault
  // The parser's message may quote the text; the position does not.
  const what = kind === 'syntax' ? 'is not valid JSON' : 'holds what cannot be kept as it is written'
  return fail('SECRETS_FILE_REFUSED', `${file} ${what} (line ${line}, column ${column})`)
}

/** `payments/token` is the key of exactly that name, or `token` in `payments`. */
function leafAt(tree: unknown, path: string): string | undefined {
  if (ownValue(tree, path) !== undefined) return asText(ownValue(tree, path))
  let at = tree
  for (const name of path.split('/')) at = ownValue(at, name)
  return asText(at)
}

function ownValue(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder)) return undefined
  return Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return []
    throw thrown
  }
}

interface PrivateText {
  readonly text: string
  readonly version: string
}

async function privateText(file: string): Promise<PrivateText | undefined> {
  let handle
  try {
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (thrown) {
    refuseLink(thrown, file)
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
  try {
    // Asked of the open file, so that the file which is checked is the file which is read.
    const { mode, mtime } = await handle.stat()
    if ((mode & OTHERS) !== 0)
      fail('SECRETS_FILE_REFUSED', `${file} has mode ${(mode & 0o777).toString(8).padStart(4, '0')}, not 0600`)
    return { text: decoded(await handle.readFile(), file), version: `file:${mtime.toISOString()}` }
  } finally {
    await handle.close()
  }
}

function decoded(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return fail('SECRETS_FILE_REFUSED', `${file} is not UTF-8`)
  }
}
