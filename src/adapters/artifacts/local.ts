/**
 * Artifacts as files named by the hash of their bytes. A file appears whole or not at all, is on disk before its pointer is
 * handed out, and is held against its hash whenever it is read (SEC-05).
 */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../core/problems/problem.ts'
import type { ArtifactAbout, ArtifactContent, ArtifactStore } from '../../ports/artifacts.ts'
import type { Random } from '../../ports/random.ts'

const URI = /^artifact:sha256:([0-9a-f]{64})(\?name=[^?#]+)?$/
const KIND = /^[\w.-]{1,255}$/
const FILE_NAME = /^[\w][\w. -]{0,99}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

export function localArtifacts(folder: string, random: Random): ArtifactStore {
  return {
    async put(content, about) {
      checkAbout(about)
      await mkdir(folder, { recursive: true })
      const draft = join(folder, `.${random.uuid()}.draft`)
      const { sha256, sizeBytes } = await writeDraft(draft, content)
      await settle(folder, draft, sha256)
      const { kind, name, expiresAt } = about
      const uri = `artifact:sha256:${sha256}${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}`
      return { uri, kind, sha256, sizeBytes, ...(expiresAt === undefined ? {} : { expiresAt }) }
    },
    async get(ref) {
      const parts: Uint8Array[] = []
      for await (const part of checkedBytes(folder, ref.uri)) parts.push(part)
      return Buffer.concat(parts)
    },
    read: (ref) => checkedBytes(folder, ref.uri),
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
  // What a step made may be personal: only its owner reads it.
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

/** Renamed into place and the folder flushed; bytes that are there already stay as they are. */
async function settle(folder: string, draft: string, sha256: string): Promise<void> {
  const place = join(folder, sha256)
  if (await isThere(place)) {
    await rm(draft, { force: true })
    return
  }
  await rename(draft, place)
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}

async function* checkedBytes(folder: string, uri: string): AsyncGenerator<Uint8Array> {
  const sha256 = URI.exec(uri)?.[1] ?? fail('ARTIFACT_NOT_FOUND', `'${uri}' is no pointer of this store`)
  const path = join(folder, sha256)
  if (!(await isThere(path))) fail('ARTIFACT_NOT_FOUND', `there is no artifact ${sha256}`)
  const hash: Hash = createHash('sha256')
  for await (const part of createReadStream(path) as AsyncIterable<Uint8Array>) {
    hash.update(part)
    yield part
  }
  if (hash.digest('hex') !== sha256) fail('ARTIFACT_DAMAGED', `the bytes of artifact ${sha256} were changed`)
}
