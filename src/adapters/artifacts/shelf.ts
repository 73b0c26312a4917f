/**
 * The folders behind local artifacts. A tenant's bytes lie under their hash, and each run that needs them has a hard link of
 * its own to them: the file system itself counts who is left, so no record of it can be wrong after a crash.
 */
import { createHash } from 'node:crypto'
import { access, link, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ArtifactHolder } from '../../ports/artifacts.ts'

/** Names that are no file names on some system are hashed; those are longer, so neither can pass for the other. */
const PLAIN = /^[a-z0-9-]{1,63}$/

function nameOf(id: string): string {
  return PLAIN.test(id) ? id : createHash('sha256').update(id).digest('hex')
}

export class Shelf {
  readonly #root: string
  readonly tenant: string
  readonly #run: string

  constructor(root: string, { tenantId, runId }: ArtifactHolder) {
    this.#root = root
    this.tenant = join(root, 'tenants', nameOf(tenantId))
    this.#run = join(this.tenant, 'runs', nameOf(runId))
  }

  /** Bytes on disk under another name become the tenant's and the run's; those that are there already stay as they are. */
  async settle(draft: string, sha256: string): Promise<void> {
    await makeFolder(this.#run)
    // Whoever drops the last run that held them may be quicker, any number of times.
    while (!(await this.hold(sha256))) await linked(draft, join(this.tenant, sha256))
    for (const folder of [this.tenant, this.#run]) await flush(folder)
  }

  /** False when the tenant has no such bytes. */
  async hold(sha256: string): Promise<boolean> {
    const own = join(this.#run, sha256)
    const shared = join(this.tenant, sha256)
    if (await isThere(own)) return true
    if (!(await isThere(shared))) return false
    await makeFolder(this.#run)
    return (await linked(shared, own)) !== 'gone'
  }

  /** Where the bytes lie; those from before tenants were told apart lie in the root. */
  async find(sha256: string): Promise<string | undefined> {
    const path = (await this.hold(sha256)) ? join(this.#run, sha256) : join(this.#root, sha256)
    return (await isThere(path)) ? path : undefined
  }

  /** Each file by itself, its shared name first: broken off anywhere, the rest is done by asking again. */
  async drop(): Promise<void> {
    for (const sha256 of await namesIn(this.#run)) {
      const own = join(this.#run, sha256)
      const shared = join(this.tenant, sha256)
      const [mine, known] = [await entry(own), await entry(shared)]
      if (known?.ino === mine?.ino && (mine?.nlink ?? 0) <= 2) {
        await rm(shared, { force: true })
        // Somebody took hold of them in between: theirs is the shared name again.
        if (((await entry(own))?.nlink ?? 0) > 1) await linked(own, shared)
      }
      await rm(own, { force: true })
      // Two runs dropped at once each saw the other one hold them.
      if ((await entry(shared))?.nlink === 1) await rm(shared, { force: true })
    }
    await rmdir(this.#run).catch(unlessMissing)
  }
}

async function linked(from: string, to: string): Promise<'made' | 'there' | 'gone'> {
  try {
    await link(from, to)
    return 'made'
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'EEXIST') return 'there'
    if (code === 'ENOENT') return 'gone'
    throw thrown
  }
}

async function entry(path: string): Promise<{ readonly ino: number; readonly nlink: number } | undefined> {
  return stat(path).catch(unlessMissing)
}

function unlessMissing(thrown: NodeJS.ErrnoException): undefined {
  if (thrown.code !== 'ENOENT') throw thrown
  return undefined
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(unlessMissing)) ?? []
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}

async function flush(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Step by step: below /proc, where a folder is missing however often it is made, a recursive mkdir never returns. */
export async function makeFolder(folder: string): Promise<void> {
  const isFolder = (): boolean => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (isFolder()) return
  if (dirname(folder) !== folder) await makeFolder(dirname(folder))
  try {
    await mkdir(folder)
  } catch (thrown) {
    if (!isFolder()) throw thrown
  }
}
