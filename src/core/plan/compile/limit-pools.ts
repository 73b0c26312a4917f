/**
 * The pools in which running runs are counted against a limit. A tenant's own pool ends with `@` and the tenant, as stores know it; what
 * stands before it holds no `@`.
 */
const PREFIX = 'limit:'

/** For `key:…` limits also the hash of the value that is counted. */
export function limitPool(tenantId: string, name: string, keyHash?: string): string {
  const own = keyHash === undefined ? '' : `/${keyHash}`
  return `${PREFIX}${encodeURIComponent(name)}${own}@${tenantId}`
}

/** Beside it: how many may start in a minute. */
export function ratePool(pool: string): string {
  return pool.replace('@', '/rate@')
}

/** It counts for one value of a `key:…` limit: there may be as many as there are values. */
export function isKeyPool(pool: string): boolean {
  const own = isLimitPool(pool) ? (pool.split('@')[0] ?? '') : ''
  return /\/[0-9a-f]{32}(?:\/rate)?$/.test(own)
}

export function isRatePool(pool: string): boolean {
  return isLimitPool(pool) && pool.includes('/rate@')
}

export function isLimitPool(pool: string): boolean {
  return pool.startsWith(PREFIX)
}

/** Whose limit a pool counts for. A tenant may have any name, also one with `@` in it; the name of a limit has none here. */
export function tenantOfLimitPool(pool: string): string | undefined {
  return isLimitPool(pool) ? pool.slice(pool.indexOf('@') + 1) : undefined
}

/** The name of the limit that a pool counts for; undefined for every other pool. */
export function limitOfPool(pool: string): string | undefined {
  if (!isLimitPool(pool)) return undefined
  const [named = ''] = pool.slice(PREFIX.length).split('@')
  const [name = ''] = named.split('/')
  return decodeURIComponent(name)
}
