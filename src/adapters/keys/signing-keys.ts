/**
 * The keys of a process: files in the named folder, none where no folder was named, and for a store in memory a key
 * that disappears with it, since such a store keeps no files (P-35).
 */
import { dirname } from 'node:path'
import type { Random } from '../../ports/random.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import { fileSigningKeys } from './file-keys.ts'
import { noKeys } from './no-keys.ts'

const IN_MEMORY = ':memory:'
const KEY_BYTES = 32

export function signingKeysIn(folder: string | undefined, random: Random): SigningKeys {
  if (folder === undefined) return noKeys()
  if (dirname(folder) !== IN_MEMORY) return fileSigningKeys(folder, random)
  const key = { keyId: 'k1', secret: random.bytes(KEY_BYTES) }
  return { current: async () => key, find: async (keyId) => (keyId === key.keyId ? key : undefined) }
}
