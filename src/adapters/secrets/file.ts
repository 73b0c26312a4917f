/**
 * Secrets from a file per tenant and environment: `<folder>/<tenantId>/<environmentId>.json` (nested objects are paths) or
 * `.env` (NAME=value lines). It is read anew for every attempt, so a rotated value needs no restart; a file that others on
 * the machine may read is refused, and no message ever quotes it.
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readJsonText } from '../../core/json/read-json-text.ts'
import { fail } from '../../core/problems/problem.ts'
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
  // Names that could lead out of their folder belong to nobody.
  if (!FOLDER_NAME.test(tenantId) || !FOLDER_NAME.test(environmentId)) return []
  const base = join(folder, tenantId, environmentId)
  const env = await privateText(`${base}.env`)
  const json = await privateText(`${base}.json`)
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
  // A secret is text in the end: a long number keeps its digits.
  const reading = readJsonText(text, { bigints: 'text' })
  if (reading.ok) return { version, lookUp: (path) => leafAt(reading.value, path) }
  const { kind, line, column } = reading.fault
  // What the reader says may quote the text; where it stands does not.
  const what = kind === 'syntax' ? 'is not valid JSON' : 'holds what cannot be kept as it is written'
  return fail('SECRETS_FILE_REFUSED', `${file} ${what} (line ${line}, column ${column})`)
}

/** `payments/token` is the key of that very name, or `token` in `payments`. */
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

async function privateText(file: string): Promise<{ readonly text: string; readonly version: string } | undefined> {
  let handle
  try {
    handle = await open(file, 'r')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
  try {
    // Asked of the open file: what is checked is what is read.
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
