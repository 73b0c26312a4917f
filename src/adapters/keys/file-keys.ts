/**
 * Signing keys as files: 32 random bytes under `<folder>/<keyId>`, mode 0600, created exclusively so that two processes
 * starting at once agree on one key (P-35).
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../core/problems/problem.ts'
import type { Random } from '../../ports/random.ts'
import type { SigningKey, SigningKeys } from '../../ports/signing-keys.ts'
import { createExclusively } from './create-exclusively.ts'
import { makePrivateFolder } from './private-folder.ts'

const KEY_BYTES = 32
const KEY_ID = /^k\d{1,9}$/

export function fileSigningKeys(folder: string, random: Random): SigningKeys {
  const read = async (keyId: string): Promise<SigningKey | undefined> => {
    if (!KEY_ID.test(keyId)) return undefined
    try {
      const secret = await readFile(join(folder, keyId))
      return secret.length === KEY_BYTES ? { keyId, secret } : undefined
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw thrown
    }
  }
  return {
    find: read,
    async current() {
      await makePrivateFolder(folder)
      const ids = (await readdir(folder)).filter((name) => KEY_ID.test(name))
      const newest = ids.toSorted((a, b) => Number(b.slice(1)) - Number(a.slice(1)))[0]
      const known = newest === undefined ? undefined : await read(newest)
      return known ?? createKey(folder, random, read)
    },
  }
}

async function createKey(
  folder: string,
  random: Random,
  read: (keyId: string) => Promise<SigningKey | undefined>,
): Promise<SigningKey> {
  const keyId = 'k1'
  const secret = random.bytes(KEY_BYTES)
  if (await createExclusively(folder, keyId, secret, random)) return { keyId, secret }
  return (await read(keyId)) ?? fail('STORE_CORRUPT', `the key file ${join(folder, keyId)} is not a key`)
}
