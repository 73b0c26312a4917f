/** The folder keys lie in: its owner's alone, made with the way to it. */
import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** One step at a time: Node's own recursive mkdir goes round for ever below /proc, where nothing that is made is there. */
export async function makePrivateFolder(path: string): Promise<void> {
  if (exists(path)) return
  const above = dirname(path)
  if (above !== path) await makePrivateFolder(above)
  await mkdir(path, 0o700).catch((thrown: unknown) => {
    if (!exists(path)) throw thrown
  })
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
