/**
 * The keys that sign receipts, as files: an Ed25519 private key each (PKCS#8, PEM) under `<folder>/receipts-<n>.pem`,
 * mode 0600, created exclusively. The highest number signs; the others still verify.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, sign, type KeyObject } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../core/problems/problem.ts'
import type { Random } from '../../ports/random.ts'
import type { ReceiptKeys, ReceiptSigner } from '../../ports/receipts.ts'
import { createExclusively } from './create-exclusively.ts'
import { makePrivateFolder } from './private-folder.ts'

const NAME = /^receipts-(\d{1,9})\.pem$/
const FIRST = 'receipts-1.pem'
const KEY_ID_CHARS = 16

export function fileReceiptKeys(folder: string, random: Random): ReceiptKeys {
  return {
    async current() {
      const [newest] = await keyFiles(folder)
      if (newest !== undefined) return signerIn(folder, newest)
      await makePrivateFolder(folder)
      const { privateKey } = generateKeyPairSync('ed25519')
      await createExclusively(folder, FIRST, privateKey.export({ type: 'pkcs8', format: 'pem' }), random)
      return signerIn(folder, FIRST)
    },
    known: async () => {
      const signers = await Promise.all((await keyFiles(folder)).map((name) => signerIn(folder, name)))
      return signers.map(({ keyId, publicKey }) => ({ keyId, publicKey }))
    },
  }
}

/** Newest first. */
async function keyFiles(folder: string): Promise<readonly string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => NAME.test(name))
    return names.toSorted((a, b) => Number(NAME.exec(b)?.[1]) - Number(NAME.exec(a)?.[1]))
  } catch (thrown) {
    // Keys are private to their owner: another user who reads the folder sees none.
    if (['ENOENT', 'EACCES'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return []
    throw thrown
  }
}

async function signerIn(folder: string, name: string): Promise<ReceiptSigner> {
  const path = join(folder, name)
  const key = privateKeyOf(await readFile(path, 'utf8'), path)
  // The raw key is the last part of its DER form.
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32)
  return {
    keyId: hash('sha256', publicKey, 'hex').slice(0, KEY_ID_CHARS),
    publicKey: publicKey.toString('hex'),
    sign: async (text) => sign(null, Buffer.from(text, 'utf8'), key).toString('hex'),
  }
}

function privateKeyOf(pem: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    return fail('RECEIPTS_NOT_ISSUED', `${path} does not hold a private key`)
  }
  return fail('RECEIPTS_NOT_ISSUED', `${path} does not hold an Ed25519 key`)
}
