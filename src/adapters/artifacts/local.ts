/**
 * Artifacts as files named by the hash of their bytes. A file appears whole or not at all, is on disk before its
 * pointer is handed out, and is checked against its hash on every read (SEC-05).
 */
import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../core/problems/problem.ts'
import { refuseLink } from '../../core/state-link.ts'
import type { ArtifactAbout, ArtifactContent, ArtifactHolder, ArtifactStore } from '../../ports/artifacts.ts'
import type { Random } from '../../ports/random.ts'
import { makeFolder, Shelf } from './shelf.ts'

const URI = /^artifact:sha256:([0-9a-f]{64})(\?name=[^?#]+)?$/
const KIND = /^[\w.-]{1,255}$/
const FILE_NAME = /^[\w][\w. -]{0,99}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

export function localArtifacts(folder: string, random: Random): ArtifactStore {
  const shelfOf = (holder: ArtifactHolder): Shelf => new Shelf(folder, holder)
  return {
    async put(holder, content, about) {
      checkAbout(about)
      const shelf = shelfOf(holder)
      shelf.refuseLinks()
      await makeFolder(shelf.tenant)
      const draft = join(shelf.tenant, `.${random.uuid()}.draft`)
      const { sha256, sizeBytes } = await writeDraft(draft, content)
      try {
        await shelf.settle(draft, sha256)
      } finally {
        await rm(draft, { force: true })
      }
      const { kind, name, expiresAt } = about
      const uri = `artifact:sha256:${sha256}${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}`
      return { uri, kind, sha256, sizeBytes, ...(expiresAt === undefined ? {} : { expiresAt }) }
    },
    async get(holder, ref) {
      const parts: Uint8Array[] = []
      for await (const part of checkedBytes(shelfOf(holder), ref.uri)) parts.push(part)
      return Buffer.concat(parts)
    },
    read: (holder, ref) => checkedBytes(shelfOf(holder), ref.uri),
    async hold(holder, refs) {
      for (const { uri } of refs) {
        const sha256 = URI.exec(uri)?.[1]
        if (sha256 !== undefined) await shelfOf(holder).hold(sha256)
      }
    },
    drop: (holder) => shelfOf(holder).drop(),
  }
}

function checkAbout({ kind, name, expiresAt }: ArtifactAbout): void {
  if (!KIND.test(kind)) fail('ARTIFACT_REFUSED', `'${kind}' is not the kind of an artifact`)
  if (name !== undefined && !FILE_NAME.test(name)) fail('ARTIFACT_REFUSED', `'${name}' is not a plain file name`)
  if (expiresAt !== undefined && !INSTANT.test(expiresAt))
    fail('ARTIFACT_REFUSED', `expiresAt '${expiresAt}' is not a UTC instant`)
}

async function writeDraft(path: string, content: ArtifactContent): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  // A step's output may be personal: only its owner may read it.
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const part of partsOf(content)) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      hash.update(bytes)
      sizeBytes += bytes.byteLength
      await file.writeFile(bytes)
    }
    await file.sync()
    await file.close()
  } catch (thrown) {
    await file.close()
    await rm(path, { force: true })
    throw thrown
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}

async function* partsOf(content: ArtifactContent): AsyncGenerator<Uint8Array | string> {
  if (typeof content === 'string' || content instanceof Uint8Array) yield content
  else yield* content
}

/** Never follows a link: it would show another file. */
async function* bytesAt(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((thrown: unknown) => {
    refuseLink(thrown, path)
    throw thrown
  })
  yield* file.createReadStream() as AsyncIterable<Uint8Array>
}

async function* checkedBytes(shelf: Shelf, uri: string): AsyncGenerator<Uint8Array> {
  const sha256 = URI.exec(uri)?.[1] ?? fail('ARTIFACT_NOT_FOUND', `'${uri}' is not a pointer of this store`)
  const path = (await shelf.find(sha256)) ?? fail('ARTIFACT_NOT_FOUND', `there is no artifact ${sha256}`)
  const hash: Hash = createHash('sha256')
  for await (const part of bytesAt(path)) {
    hash.update(part)
    yield part
  }
  if (hash.digest('hex') !== sha256) fail('ARTIFACT_DAMAGED', `the bytes of artifact ${sha256} were changed`)
}
