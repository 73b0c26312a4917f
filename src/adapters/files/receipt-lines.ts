/**
 * Receipts as files: one line each in `<folder>/<month>.jsonl`, on disk before the call returns. Several processes may
 * add at once; a line that a crash tore is closed by the next one, so that it spoils nothing else.
 */
import { open, readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReceiptLines } from '../../ports/receipts.ts'
import { makeFolder } from './make-folder.ts'
import { readLines } from './read-lines.ts'
import { syncFolder } from './sync-folder.ts'

const MONTH_FILE = /^\d{4}-\d{2}\.jsonl$/

export function fileReceiptLines(folder: string): ReceiptLines {
  return {
    async append(month, line) {
      await makeFolder(folder)
      const file = await open(join(folder, `${month}.jsonl`), 'a+')
      try {
        // One write: with O_APPEND it lands whole and at the end, whoever else writes.
        await file.writeFile(`${(await endsTorn(file)) ? '\n' : ''}${line}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await syncFolder(folder)
    },
    async *read() {
      for (const name of await monthFiles(folder)) {
        for await (const line of readLines(join(folder, name))) if (line !== '') yield line
      }
    },
  }
}

async function endsTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString('utf8') !== '\n'
}

async function monthFiles(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => MONTH_FILE.test(name)).toSorted()
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw thrown
  }
}
