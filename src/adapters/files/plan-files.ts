/**
 * For development: plans of `file:` references, out of one folder that whoever opens Keelson has named. What lies elsewhere is
 * refused by its name, before the disk is asked; a link that leads out of the folder is refused too.
 */
import { open, realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fail } from '../../core/problems/problem.ts'
import type { PlanTransport } from '../../ports/plan-transport.ts'

export function planFiles(folder: string): PlanTransport {
  const root = resolve(folder)
  return {
    scheme: 'file',
    fetch: async ({ uri, maxBytes }) => {
      const path = pathOf(uri)
      if (!isInside(root, path)) return refuse(uri)
      const real = await Promise.all([realpath(root), realpath(path)]).catch(unlessMissing)
      if (real === undefined) return undefined
      const [realRoot, realFile] = real
      return isInside(realRoot, realFile) ? readUpTo(realFile, uri, maxBytes + 1) : refuse(uri)
    },
  }
}

/** Only an absolute file of this machine is what its name says: `file:plan.yaml` is the file /plan.yaml, and a host another machine. */
function pathOf(uri: string): string {
  if (!uri.startsWith('file:///')) return refuse(uri)
  try {
    return resolve(fileURLToPath(uri))
  } catch {
    return refuse(uri)
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Of the open file, not of its name: nobody can put another in its place in between. */
async function readUpTo(path: string, uri: string, most: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    if (!(await file.stat()).isFile()) return refuse(uri)
    const bytes = Buffer.alloc(Math.min(most, (await file.stat()).size))
    let size = 0
    while (size < bytes.length) {
      const { bytesRead } = await file.read(bytes, size)
      if (bytesRead === 0) break
      size += bytesRead
    }
    return bytes.subarray(0, size)
  } finally {
    await file.close()
  }
}

const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])

function unlessMissing(thrown: NodeJS.ErrnoException): undefined {
  if (MISSING.has(thrown.code ?? '')) return undefined
  throw thrown
}

function refuse(uri: string): never {
  return fail('PLAN_URI_NOT_ALLOWED', `no plan may be fetched from '${uri}': it is not in the folder of plan files`)
}
