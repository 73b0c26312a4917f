/** Keys by which programs ask a server, and the tenants they belong to. Rows are marked, never removed: a name is used once. */
import type { ApiKeyStore, StoredApiKey, Tenant } from '../../../ports/api-keys.ts'
import type { MemoryDisk } from './connect.ts'
import { requireTenant } from './scope.ts'

export function apiKeysOf(disk: () => MemoryDisk): ApiKeyStore {
  return {
    putApiKey: async (key) => putApiKey(disk(), key),
    findApiKey: async (keyId) => disk().apiKeys.get(keyId),
    listApiKeys: async (tenantId) => listApiKeys(disk(), tenantId),
    revokeApiKey: async (tenantId, keyId, at) => revokeApiKey(disk(), tenantId, keyId, at),
    noteApiKeyUse: async (keyId, at) => noteApiKeyUse(disk(), keyId, at),
    putTenant: async (tenant) => putTenant(disk(), tenant),
    findTenant: async (tenantId) => disk().tenants.get(requireTenant(tenantId)),
    listTenants: async () => [...disk().tenants.values()].sort((a, b) => byText(a.tenantId, b.tenantId)),
    deleteTenant: async (tenantId, at) => deleteTenant(disk(), tenantId, at),
  }
}

/** By code points, as the databases order them. */
function byText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function putApiKey({ apiKeys }: MemoryDisk, key: StoredApiKey): boolean {
  requireTenant(key.tenantId)
  if (apiKeys.has(key.keyId)) return false
  apiKeys.set(key.keyId, Object.freeze({ ...key, roles: Object.freeze([...key.roles]) }))
  return true
}

function listApiKeys({ apiKeys }: MemoryDisk, tenantId: string): readonly StoredApiKey[] {
  requireTenant(tenantId)
  return [...apiKeys.values()]
    .filter((key) => key.tenantId === tenantId)
    .sort((a, b) => a.createdAt - b.createdAt || byText(a.keyId, b.keyId))
}

function revokeApiKey({ apiKeys }: MemoryDisk, tenantId: string, keyId: string, at: number): boolean {
  requireTenant(tenantId)
  const key = apiKeys.get(keyId)
  if (key?.tenantId !== tenantId) return false
  if (key.revokedAt === undefined) apiKeys.set(keyId, Object.freeze({ ...key, revokedAt: at }))
  return true
}

function noteApiKeyUse({ apiKeys }: MemoryDisk, keyId: string, at: number): void {
  const key = apiKeys.get(keyId)
  if (key === undefined || at <= (key.lastUsedAt ?? -Infinity)) return
  apiKeys.set(keyId, Object.freeze({ ...key, lastUsedAt: at }))
}

function putTenant({ tenants }: MemoryDisk, { tenantId, createdAt }: Omit<Tenant, 'deletedAt'>): boolean {
  requireTenant(tenantId)
  if (tenants.has(tenantId)) return false
  tenants.set(tenantId, Object.freeze({ tenantId, createdAt }))
  return true
}

function deleteTenant({ tenants }: MemoryDisk, tenantId: string, at: number): boolean {
  const tenant = tenants.get(requireTenant(tenantId))
  if (tenant === undefined || tenant.deletedAt !== undefined) return false
  tenants.set(tenantId, Object.freeze({ ...tenant, deletedAt: at }))
  return true
}
