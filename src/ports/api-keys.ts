/**
 * Keys by which programs ask a server, and the tenants they belong to. A secret is never here: only its hash, and every
 * look-up but the one by a key's own id carries the tenant.
 */
export interface StoredApiKey {
  /** Unique across tenants, because it alone tells whose request it is. */
  readonly keyId: string
  readonly tenantId: string
  /** 32 bytes. */
  readonly secretSha256: Uint8Array
  readonly actorId: string
  readonly roles: readonly string[]
  readonly displayName?: string
  readonly createdAt: number
  readonly createdBy: string
  readonly expiresAt?: number
  readonly revokedAt?: number
  readonly lastUsedAt?: number
}

export interface Tenant {
  readonly tenantId: string
  readonly createdAt: number
  /** The server refuses its keys from then on; its runs stay. */
  readonly deletedAt?: number
}

export interface ApiKeyStore {
  /** False: the id is taken, by whichever tenant, and nothing was stored. */
  putApiKey(key: StoredApiKey): Promise<boolean>
  /** Across tenants: the key decides the tenant. */
  findApiKey(keyId: string): Promise<StoredApiKey | undefined>
  /** Oldest first, with those that were revoked. */
  listApiKeys(tenantId: string): Promise<readonly StoredApiKey[]>
  /** False when the tenant has no such key. The first instant stays. */
  revokeApiKey(tenantId: string, keyId: string, at: number): Promise<boolean>
  /** Never moves backwards; an unknown key is ignored. */
  noteApiKeyUse(keyId: string, at: number): Promise<void>

  /** False: there is one of that name, deleted or not, and it stays as it is. */
  putTenant(tenant: Omit<Tenant, 'deletedAt'>): Promise<boolean>
  findTenant(tenantId: string): Promise<Tenant | undefined>
  /** By id, with those that were deleted. */
  listTenants(): Promise<readonly Tenant[]>
  /** Marks it. False when there is none that is not deleted. */
  deleteTenant(tenantId: string, at: number): Promise<boolean>
}
