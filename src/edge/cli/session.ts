/**
 * Opening the state folder for a command. Commands that look at runs never create one; only `run` does. Others' runs
 * are left alone here: who wants them adopts them by name (P-30).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../../core/problems/problem.ts'
import { openKeelson, type Keelson, type OpenOptions } from '../../main.ts'

export async function openExisting(directory: string, options: Omit<OpenOptions, 'directory'> = {}): Promise<Keelson> {
  const file = join(directory, 'keelson.db')
  if (!existsSync(file)) fail('STORE_NOT_FOUND', `there is no ${file}`)
  return openKeelson({ adopt: false, ...options, directory })
}
