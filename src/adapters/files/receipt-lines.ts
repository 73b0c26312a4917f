/**
 * Receipts as files: one line each in `<folder>/<month>.jsonl`, on disk before the call returns. Several processes may
 * append at once; the next append ends a line that a crash tore, so that it damages no other line.
 */
import { readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReceiptLines } from '../../ports/receipts.ts'
import { makeFolder } from './make-folder.ts'
import { openToAdd } from './private-file.ts'
import { readStateLines } from './read-lines.ts'
import { syncFolder } from './sync-folder.ts'

const MONTH_FILE = /^\d{4}-\d{2}\.jsonl$/
const PUBLISHED_FILE = 'published.jsonl'

export function fileReceiptLines(folder: string): ReceiptLines {
  return {
    append: (month, line) => addLine(folder, `${month}.jsonl`, line),
    read: () => linesIn(folder, (name) => MONTH_FILE.test(name)),
    appendPublished: (line) => addLine(folder, PUBLISHED_FILE, line),
    readPublished: () => linesIn(folder, (name) => name === PUBLISHED_FILE),
  }
}

async function addLine(folder: string, name: string, line: string): Promise<void> {
  await makeFolder(folder)
  const file = await openToAdd(join(folder, name))
  try {
    // One write: with O_APPEND it arrives whole and at the end, even when other processes write.
    await file.writeFile(`${(await endsTorn(file)) ? '\n' : ''}${line}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(folder)
}

async function* linesIn(folder: string, isOne: (name: string) => boolean): AsyncGenerator<string> {
  for (const name of await namesIn(folder)) {
    if (!isOne(name)) continue
    for await (const line of readStateLines(join(folder, name))) if (line !== '') yield line
  }
}

async function endsTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString('utf8') !== '\n'
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted()
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw thrown
  }
}
