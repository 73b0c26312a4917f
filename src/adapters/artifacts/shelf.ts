/**
 * The folders behind local artifacts. A tenant's bytes are stored under their hash, and each run that needs them has
 * its own hard link to them: the file system counts the remaining holders, so a crash cannot make the count wrong.
 */
import { hash } from 'node:crypto'
import { access, link, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileName } from '../../core/file-name.ts'
import { linkAt } from '../../core/state-link.ts'
import type { ArtifactHolder } from '../../ports/artifacts.ts'

const sha256Of = (text: string): string => hash('sha256', text, 'hex')

export class Shelf {
  readonly #root: string
  readonly tenant: string
  readonly #run: string

  constructor(root: string, { tenantId, runId }: ArtifactHolder) {
    this.#root = root
    this.tenant = join(root, 'tenants', fileName(tenantId, sha256Of))
    this.#run = join(this.tenant, 'runs', fileName(runId, sha256Of))
  }

  /** A folder that is a link would store a tenant's bytes elsewhere, or show it the bytes of another tenant. */
  refuseLinks(): void {
    for (const folder of [this.#root, join(this.#root, 'tenants'), this.tenant, dirname(this.#run), this.#run])
      if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true) linkAt(folder)
  }

  /**
   * Gives bytes that lie under a draft name to the tenant and the run; bytes that are already there stay as they are.
   */
  async settle(draft: string, sha256: string): Promise<void> {
    this.refuseLinks()
    await makeFolder(this.#run)
    // Another process may drop the last run that held the bytes between these two calls, any number of times.
    while (!(await this.hold(sha256))) await linked(draft, join(this.tenant, sha256))
    for (const folder of [this.tenant, this.#run]) await flush(folder)
  }

  /** False when the tenant has no such bytes. */
  async hold(sha256: string): Promise<boolean> {
    this.refuseLinks()
    const own = join(this.#run, sha256)
    const shared = join(this.tenant, sha256)
    if (await isThere(own)) return true
    if (!(await isThere(shared))) return false
    await makeFolder(this.#run)
    return (await linked(shared, own)) !== 'gone'
  }

  /** Where the bytes are; bytes stored before tenants were separated are in the root. */
  async find(sha256: string): Promise<string | undefined> {
    const path = (await this.hold(sha256)) ? join(this.#run, sha256) : join(this.#root, sha256)
    return (await isThere(path)) ? path : undefined
  }

  /** Each file separately, its shared name first: after an interruption anywhere, a second call finishes the rest. */
  async drop(): Promise<void> {
    this.refuseLinks()
    for (const sha256 of await namesIn(this.#run)) {
      const own = join(this.#run, sha256)
      const shared = join(this.tenant, sha256)
      const [mine, known] = [await entry(own), await entry(shared)]
      if (known?.ino === mine?.ino && (mine?.nlink ?? 0) <= 2) {
        await rm(shared, { force: true })
        // Another run took hold of the bytes in between: give them their shared name again.
        if (((await entry(own))?.nlink ?? 0) > 1) await linked(own, shared)
      }
      await rm(own, { force: true })
      // Two runs dropped at the same time each saw the other one as a holder.
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

/** One folder at a time: below /proc a created folder is still missing, and a recursive mkdir never returns. */
export async function makeFolder(folder: string): Promise<void> {
  const isFolder = (): boolean => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (isFolder()) return
  if (dirname(folder) !== folder) await makeFolder(dirname(folder))
  try {
    await mkdir(folder, 0o700)
  } catch (thrown) {
    if (!isFolder()) throw thrown
  }
}
