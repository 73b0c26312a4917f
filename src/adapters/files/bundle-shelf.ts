/** Bundles as files in a folder: written under another name, flushed to disk, and renamed after they were checked. */
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BundleShelf } from '../../ports/bundles.ts'
import type { Random } from '../../ports/random.ts'
import { makeFolder } from './make-folder.ts'
import { readLines } from './read-lines.ts'
import { syncFolder } from './sync-folder.ts'

export function fileBundleShelf(folder: string, random: Random): BundleShelf {
  return {
    async draft(lines) {
      await makeFolder(folder)
      const path = join(folder, `.${random.uuid()}.draft`)
      await writeLines(path, lines)
      return {
        read: () => readLines(path),
        drop: () => rm(path, { force: true }),
        keep: async (name) => {
          const place = join(folder, name)
          await rename(path, place)
          await syncFolder(folder)
          return place
        },
      }
    },
  }
}

async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  // A run's values may be personal: only its owner may read them.
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const line of lines) await file.writeFile(`${line}\n`)
    await file.sync()
    await file.close()
  } catch (thrown) {
    await file.close()
    await rm(path, { force: true })
    throw thrown
  }
}
