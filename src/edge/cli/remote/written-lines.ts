/** Lines that become a file as a whole: written under another name, flushed to disk, and renamed. */
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../files/make-folder.ts'

export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  makeFolder(dirname(path))
  const draft = `${path}.${process.pid}.draft`
  // The values of a run may be personal: only its owner may read them.
  const file = await open(draft, 'wx', 0o600)
  try {
    for await (const line of lines) await file.writeFile(`${line}\n`)
    await file.sync()
    await rename(draft, path)
  } catch (thrown) {
    await rm(draft, { force: true })
    throw thrown
  } finally {
    await file.close()
  }
}
