/** Keys by which programs ask a server, and the tenants they belong to. Rows are marked, never removed: a name is used once. */
import type { ApiKeyStore, StoredApiKey, Tenant } from '../../../ports/api-keys.ts'
import type { Connection } from './connect.ts'
import { bytes, number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const PUT_KEY = `INSERT INTO api_keys (key_id, tenant_id, secret_sha256, actor_id, roles, display_name, created_at, created_by,
  expires_at, revoked_at, last_used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key_id) DO NOTHING`
const FIND_KEY = 'SELECT * FROM api_keys WHERE key_id = ?'
const LIST_KEYS = 'SELECT * FROM api_keys WHERE tenant_id = ? ORDER BY created_at, key_id'
const REVOKE = 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE tenant_id = ? AND key_id = ?'
const NOTE_USE =
  'UPDATE api_keys SET last_used_at = ?1 WHERE key_id = ?2 AND (last_used_at IS NULL OR last_used_at < ?1)'
const PUT_TENANT = 'INSERT INTO tenants (tenant_id, created_at) VALUES (?, ?) ON CONFLICT (tenant_id) DO NOTHING'
const FIND_TENANT = 'SELECT * FROM tenants WHERE tenant_id = ?'
const LIST_TENANTS = 'SELECT * FROM tenants ORDER BY tenant_id'
const DELETE_TENANT = 'UPDATE tenants SET deleted_at = ? WHERE tenant_id = ? AND deleted_at IS NULL'

type Value = string | number | null | Uint8Array

export function apiKeysOf(connection: Connection): ApiKeyStore {
  const changes = async (sql: string, ...values: readonly Value[]): Promise<boolean> =>
    connection.write(() => Number(connection.sql(sql).run(...values).changes) > 0)
  const rows = async (sql: string, ...values: readonly Value[]): Promise<readonly Columns[]> =>
    connection.read(() => connection.sql(sql).all(...values))
  return {
    putApiKey: async (key) => changes(PUT_KEY, ...columnsOf(key)),
    findApiKey: async (keyId) => (await rows(FIND_KEY, keyId)).map(apiKeyOf)[0],
    listApiKeys: async (tenantId) => (await rows(LIST_KEYS, requireTenant(tenantId))).map(apiKeyOf),
    revokeApiKey: async (tenantId, keyId, at) => changes(REVOKE, at, requireTenant(tenantId), keyId),
    noteApiKeyUse: async (keyId, at) => void (await changes(NOTE_USE, at, keyId)),
    putTenant: async ({ tenantId, createdAt }) => changes(PUT_TENANT, requireTenant(tenantId), createdAt),
    findTenant: async (tenantId) => (await rows(FIND_TENANT, requireTenant(tenantId))).map(tenantOf)[0],
    listTenants: async () => (await rows(LIST_TENANTS)).map(tenantOf),
    deleteTenant: async (tenantId, at) => changes(DELETE_TENANT, at, requireTenant(tenantId)),
  }
}

function columnsOf(key: StoredApiKey): readonly Value[] {
  const { keyId, tenantId, secretSha256, actorId, roles, createdAt, createdBy } = key
  const { displayName = null, expiresAt = null, revokedAt = null, lastUsedAt = null } = key
  const who = [keyId, requireTenant(tenantId), secretSha256, actorId, JSON.stringify(roles), displayName]
  return [...who, createdAt, createdBy, expiresAt, revokedAt, lastUsedAt]
}

function apiKeyOf(row: Columns): StoredApiKey {
  return {
    keyId: text(row, 'key_id'),
    tenantId: text(row, 'tenant_id'),
    secretSha256: bytes(row, 'secret_sha256'),
    actorId: text(row, 'actor_id'),
    roles: JSON.parse(text(row, 'roles')) as readonly string[],
    ...(row['display_name'] === null ? {} : { displayName: text(row, 'display_name') }),
    createdAt: number(row, 'created_at'),
    createdBy: text(row, 'created_by'),
    ...(row['expires_at'] === null ? {} : { expiresAt: number(row, 'expires_at') }),
    ...(row['revoked_at'] === null ? {} : { revokedAt: number(row, 'revoked_at') }),
    ...(row['last_used_at'] === null ? {} : { lastUsedAt: number(row, 'last_used_at') }),
  }
}

function tenantOf(row: Columns): Tenant {
  const tenant = { tenantId: text(row, 'tenant_id'), createdAt: number(row, 'created_at') }
  return row['deleted_at'] === null ? tenant : { ...tenant, deletedAt: number(row, 'deleted_at') }
}
