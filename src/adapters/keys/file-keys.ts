/**
 * Signing keys as files: 32 random bytes under `<folder>/<keyId>`, mode 0600, created exclusively so that two processes
 * starting at once agree on one key (P-35).
 */
import { link, mkdir, open, readdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '../../ports/random.ts'
import type { SigningKey, SigningKeys } from '../../ports/signing-keys.ts'

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
      await mkdir(folder, { recursive: true, mode: 0o700 })
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
  // Written whole under another name first: a process that finds the key must never read half of it.
  const draft = join(folder, `.${random.uuid()}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(secret)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(draft, join(folder, keyId))
    return { keyId, secret }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
    const other = await read(keyId)
    if (other === undefined) throw thrown
    return other
  } finally {
    await unlink(draft)
  }
}
