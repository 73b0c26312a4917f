/** `keelson keys`: API keys of a server, in its store. Whoever may write the store may make any key. */
import { appendAll } from '../../../core/collections/append-all.ts'
import { randomBytes } from 'node:crypto'
import { isApiKey, issueApiKey } from '../../../app/identity/api-key.ts'
import { roleOf, ROLES, type Role } from '../../../core/authority/actions.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { servicesOf } from '../../../library/services-of.ts'
import type { ApiKeyStore, StoredApiKey } from '../../../ports/api-keys.ts'
import { openToLook } from '../open/look.ts'
import { openExisting, openOrCreate } from '../open/session.ts'
import { configOf } from '../serve/config.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { instantOf } from '../terminal/instant.ts'
import { printTable } from '../terminal/table.ts'

export async function createKey({ options, terminal }: Call): Promise<number> {
  const now = Date.now()
  const key = { ...askedKey(options, now), createdBy: 'local' }
  const keelson = await openOrCreate(configOf(options).place)
  try {
    const issued = await issueApiKey(servicesOf(keelson).store, { bytes: randomBytes }, key, now)
    const { tenantId, roles, expiresAt } = key
    if (options.json)
      terminal.json({
        ...issued,
        tenantId,
        roles,
        ...(expiresAt === undefined ? {} : { expiresAt: isoFromMs(expiresAt) }),
      })
    else {
      // Alone on stdout, so that a script can keep it.
      terminal.line(issued.key)
      terminal.errorLine(
        `it is shown only now; send it as 'Authorization: Bearer …'; revoke it with: keelson keys revoke ${issued.keyId}`,
      )
    }
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

function askedKey(options: Options, now: number): Omit<Parameters<typeof issueApiKey>[2], 'createdBy'> {
  const tenantId = options.text('tenant') ?? fail('USAGE', '--tenant is missing: whose key is it?')
  const words = options.list('role')
  if (words.length === 0) fail('USAGE', `--role is missing: one or more of ${ROLES.join(', ')}`)
  const [actorId, displayName, expires] = ['actor', 'name', 'expires'].map((name) => options.text(name))
  const expiresAt = expires === undefined ? undefined : instantOf(expires, '--expires', now, true)
  if (expiresAt !== undefined && expiresAt <= now) fail('USAGE', `--expires ${expires ?? ''} is over already`)
  return {
    tenantId,
    roles: words.map(namedRole),
    ...(actorId === undefined ? {} : { actorId }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

function namedRole(word: string): Role {
  return roleOf(word) ?? fail('USAGE', `'${word}' is no role; there are ${ROLES.join(', ')}`, didYouMean(word, ROLES))
}

export async function listKeys({ options, terminal }: Call): Promise<number> {
  const store = await openToLook(configOf(options).place)
  try {
    const keys = await keysOf(store, options.text('tenant'))
    if (options.json) for (const key of keys) terminal.json(shownKey(key))
    else if (keys.length === 0) terminal.line('there are no API keys')
    else
      printTable(
        terminal,
        ['KEY', 'TENANT', 'ACTOR', 'ROLES', 'LAST USE', 'STATE', ''],
        keys.map((key) => keyCells(key, Date.now())),
      )
    return EXIT.completed
  } finally {
    await store.close()
  }
}

async function keysOf(store: ApiKeyStore, tenantId: string | undefined): Promise<readonly StoredApiKey[]> {
  const tenants = tenantId === undefined ? (await store.listTenants()).map((one) => one.tenantId) : [tenantId]
  const keys: StoredApiKey[] = []
  for (const tenant of tenants) appendAll(keys, await store.listApiKeys(tenant))
  return keys
}

function keyCells(key: StoredApiKey, now: number): readonly string[] {
  const { keyId, tenantId, actorId, roles, lastUsedAt, displayName = '' } = key
  const used = lastUsedAt === undefined ? 'never' : isoFromMs(lastUsedAt)
  return [keyId, tenantId, actorId, roles.join(' '), used, stateOf(key, now), displayName]
}

function stateOf({ revokedAt, expiresAt }: StoredApiKey, now: number): string {
  if (revokedAt !== undefined) return `revoked ${isoFromMs(revokedAt)}`
  if (expiresAt === undefined) return 'valid'
  return expiresAt <= now ? `expired ${isoFromMs(expiresAt)}` : `until ${isoFromMs(expiresAt)}`
}

function shownKey({
  secretSha256: _secret,
  createdAt,
  expiresAt,
  revokedAt,
  lastUsedAt,
  ...key
}: StoredApiKey): object {
  const instants = { createdAt, expiresAt, revokedAt, lastUsedAt }
  const told = Object.entries(instants).flatMap(([name, at]) => (at === undefined ? [] : [[name, isoFromMs(at)]]))
  return { ...key, ...Object.fromEntries(told) }
}

export async function revokeKey({ args, options, terminal }: Call): Promise<number> {
  const [given = ''] = args
  // Who has the whole key at hand may name it by that.
  const keyId = isApiKey(given) ? (given.split('_')[1] ?? '') : given
  const keelson = await openExisting(configOf(options).place)
  try {
    const { store } = servicesOf(keelson)
    const found = await store.findApiKey(keyId)
    const now = Date.now()
    if (found === undefined || !(await store.revokeApiKey(found.tenantId, keyId, now)))
      return fail('KEY_NOT_FOUND', `there is no key '${keyId}' here`)
    const revokedAt = isoFromMs(found.revokedAt ?? now)
    if (options.json) terminal.json({ keyId, tenantId: found.tenantId, revokedAt })
    else terminal.line(`${keyId} of ${found.tenantId} is revoked since ${revokedAt}`)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
