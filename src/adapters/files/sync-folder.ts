/** A new or renamed file survives a power cut only if its folder was synced too. */
import { open } from 'node:fs/promises'

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
