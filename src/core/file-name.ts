/**
 * Ids as names of files and folders. An id is any text: it may say `../..`, differ from another only by case, or be too
 * long for a file system. Names that are safe everywhere stay unchanged, as UUIDs do; all others are replaced by their
 * hash.
 */
import { LOCAL_TENANT } from './local-tenant.ts'

/** Lower case: on many systems `A` and `a` are one file. Shorter than a hash, so that neither can equal the other. */
const PLAIN = /^[a-z0-9][a-z0-9-]{0,62}$/
const LONE_SURROGATE = /\p{Surrogate}/u
/** Devices on Windows, whatever extension follows. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** `sha256` returns the hash in hex; the core has no hash function. */
export function fileName(id: string, sha256: (text: string) => string): string {
  return PLAIN.test(id) && !RESERVED.test(id) ? id : sha256(hashable(id))
}

/**
 * Run ids belong to their tenant. The local tenant's runs keep their old names; the combined text of tenant and id
 * never equals one of those.
 */
export function runFileName(
  { tenantId, runId }: { readonly tenantId: string; readonly runId: string },
  sha256: (text: string) => string,
): string {
  const isPlain = tenantId === LOCAL_TENANT && !runId.startsWith('[')
  return fileName(isPlain ? runId : JSON.stringify([tenantId, runId]), sha256)
}

/** In UTF-8 all lone surrogates would become one character, and two ids one name. */
function hashable(id: string): string {
  return LONE_SURROGATE.test(id) ? `\0${JSON.stringify(id)}` : id
}
