/** `keelson keys`: API keys of a server, in its store or by asking it. Whoever may write the store may make any key. */
import { roleOf, ROLES, type Role } from '../../../core/authority/actions.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs, msFromIso } from '../../../core/time.ts'
import { keyCalls, keyIdOf, type AskedKey, type KeyCalls, type ShownKey } from '../open/api-keys.ts'
import { configOf } from '../serve/config.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { instantOf } from '../terminal/instant.ts'
import { printTable } from '../terminal/table.ts'

const callsOf = (options: Options): Promise<KeyCalls> => keyCalls(options, () => configOf(options).place)

export async function createKey({ options, terminal }: Call): Promise<number> {
  const now = Date.now()
  const asked = askedKey(options, now)
  const issued = await (await callsOf(options)).create(asked, now)
  const { roles, expiresAt } = asked
  if (options.json)
    terminal.json({ ...issued, roles, ...(expiresAt === undefined ? {} : { expiresAt: isoFromMs(expiresAt) }) })
  else {
    // Alone on stdout, so that a script can keep it.
    terminal.line(issued.key)
    terminal.errorLine(
      `it is shown only now; send it as 'Authorization: Bearer …'; revoke it with: keelson keys revoke ${issued.keyId}`,
    )
  }
  return EXIT.completed
}

function askedKey(options: Options, now: number): AskedKey {
  const words = options.list('role')
  if (words.length === 0) fail('USAGE', `--role is missing: one or more of ${ROLES.join(', ')}`)
  const [tenantId, actorId, displayName, expires] = ['tenant', 'actor', 'name', 'expires'].map((name) =>
    options.text(name),
  )
  const expiresAt = expires === undefined ? undefined : instantOf(expires, '--expires', now, true)
  if (expiresAt !== undefined && expiresAt <= now) fail('USAGE', `--expires ${expires ?? ''} is over already`)
  return {
    roles: words.map(namedRole),
    ...(tenantId === undefined ? {} : { tenantId }),
    ...(actorId === undefined ? {} : { actorId }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

function namedRole(word: string): Role {
  return roleOf(word) ?? fail('USAGE', `'${word}' is no role; there are ${ROLES.join(', ')}`, didYouMean(word, ROLES))
}

export async function listKeys({ options, terminal }: Call): Promise<number> {
  const keys = await (await callsOf(options)).list(options.text('tenant'))
  if (options.json) for (const key of keys) terminal.json(key)
  else if (keys.length === 0) terminal.line('there are no API keys')
  else
    printTable(
      terminal,
      ['KEY', 'TENANT', 'ACTOR', 'ROLES', 'LAST USE', 'STATE', ''],
      keys.map((key) => keyCells(key, Date.now())),
    )
  return EXIT.completed
}

function keyCells(key: ShownKey, now: number): readonly string[] {
  const { keyId, tenantId, actorId, roles, lastUsedAt = 'never', displayName = '' } = key
  return [keyId, tenantId, actorId, roles.join(' '), lastUsedAt, stateOf(key, now), displayName]
}

function stateOf({ revokedAt, expiresAt }: ShownKey, now: number): string {
  if (revokedAt !== undefined) return `revoked ${revokedAt}`
  if (expiresAt === undefined) return 'valid'
  return (msFromIso(expiresAt) ?? 0) <= now ? `expired ${expiresAt}` : `until ${expiresAt}`
}

export async function revokeKey({ args, options, terminal }: Call): Promise<number> {
  const keyId = keyIdOf(args[0] ?? '')
  const { tenantId, revokedAt } = await (await callsOf(options)).revoke(keyId, Date.now())
  if (options.json) terminal.json({ keyId, tenantId, revokedAt })
  else terminal.line(`${keyId} of ${tenantId} is revoked since ${revokedAt}`)
  return EXIT.completed
}
