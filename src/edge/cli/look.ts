/** The store alone, for commands that only look at rows: quicker to open than everything, and it never creates one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../../core/problems/problem.ts'
import { openFolderStore } from '../../open-store.ts'
import type { RunStore } from '../../ports/run-store.ts'

export async function openToLook(directory: string): Promise<RunStore> {
  const file = join(directory, 'keelson.db')
  if (!existsSync(file)) fail('STORE_NOT_FOUND', `there is no ${file}`)
  return openFolderStore(directory)
}
