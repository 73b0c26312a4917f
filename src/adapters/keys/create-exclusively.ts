/** A private file that appears whole or not at all, and only once: of several processes that try, one succeeds. */
import { link, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '../../ports/random.ts'

/** Returns false when the file existed before. Mode 0600. */
export async function createExclusively(
  folder: string,
  name: string,
  content: string | Uint8Array,
  random: Random,
): Promise<boolean> {
  // First written whole under another name: a process that finds the file must never read half of it.
  const draft = join(folder, `.${random.uuid()}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(draft, join(folder, name))
    return true
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
    return false
  } finally {
    await unlink(draft)
  }
}
