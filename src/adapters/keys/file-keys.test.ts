/** Signing keys on disk: made once, private, found again. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemRandom } from '../system/random.ts'
import { fileSigningKeys } from './file-keys.ts'
import { fileReceiptKeys } from './receipt-keys.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-keys-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

it('is made of 32 random bytes for its owner alone, and is the same key afterwards [P-35]', async () => {
  const keys = fileSigningKeys(join(folder, 'keys'), systemRandom)
  const made = await keys.current()
  expect(made.secret).toHaveLength(32)
  expect((await stat(join(folder, 'keys', made.keyId))).mode & 0o777).toBe(0o600)
  const again = await fileSigningKeys(join(folder, 'keys'), systemRandom).current()
  expect(Buffer.from(again.secret).equals(Buffer.from(made.secret))).toBe(true)
})

it('is one key for processes that start at once: creation is exclusive [P-35]', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => fileSigningKeys(folder, systemRandom).current()))
  expect(new Set(made.map((key) => Buffer.from(key.secret).toString('hex'))).size).toBe(1)
})

it('signs with the newest key while older ones still verify [P-35]', async () => {
  const keys = fileSigningKeys(folder, systemRandom)
  const old = await keys.current()
  await writeFile(join(folder, 'k2'), systemRandom.bytes(32))
  expect((await keys.current()).keyId).toBe('k2')
  expect((await keys.find(old.keyId))?.keyId).toBe(old.keyId)
  expect(await keys.find('k9')).toBeUndefined()
  expect(await keys.find('../k1')).toBeUndefined()
})

it('says at once where no folder can be made, rather than try for ever', async () => {
  for (const keys of [fileSigningKeys, fileReceiptKeys])
    await expect(keys('/proc/keelson/keys', systemRandom).current()).rejects.toThrow(/ENOENT|EACCES|EPERM|EROFS/)
})

it('lies in a folder that is its owner’s alone, as is the way to it [P-35]', async () => {
  await fileSigningKeys(join(folder, 'state', 'keys'), systemRandom).current()
  for (const path of ['state', 'state/keys']) expect((await stat(join(folder, path))).mode & 0o777).toBe(0o700)
})
