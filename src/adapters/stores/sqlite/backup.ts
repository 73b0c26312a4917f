/**
 * An online copy of the whole database: one consistent state, taken on its own connection while writers go on. The file
 * appears in its place only when it is whole and on the disk, and never over another one.
 */
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { backup as copy, DatabaseSync } from 'node:sqlite'
import { STORE_FILE } from '../../../core/state-folder.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Connection } from './connect.ts'
import { storeFailure } from './failure.ts'

/** All pages in one step: between two steps another process's write would restart the copy, for ever on a busy file. */
const ALL_PAGES = 0x7fff_ffff

export async function backup(connection: Connection, toPath: string): Promise<void> {
  if (!connection.db.isOpen) fail('STORE_CLOSED', `The store on ${connection.path} was closed.`)
  const target = resolve(toPath)
  if (existsSync(target)) refuseToOverwrite(target)
  const folder = makeFolderBeside(target)
  try {
    const file = join(folder, STORE_FILE)
    await copyTo(file, connection.path, target)
    // A run's values may be personal: only its owner may read them.
    chmodSync(file, 0o600)
    flush(file)
    place(file, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  flush(dirname(target))
}

function refuseToOverwrite(target: string): never {
  return fail('BACKUP_EXISTS', `There is already a file ${target}.`)
}

/** On the file system of the target, so that the finished copy only needs a new name. */
function makeFolderBeside(target: string): string {
  try {
    return mkdtempSync(join(dirname(target), '.keelson-backup-'))
  } catch (error) {
    return fail('STORE_READ_ONLY', `The backup ${target} cannot be written (${reasonOf(error)}).`)
  }
}

async function copyTo(file: string, from: string, target: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    await copy(source, file, { rate: ALL_PAGES })
  } catch (error) {
    throw storeFailure(error, target)
  } finally {
    source.close()
  }
}

/** A link, unlike a rename, does not replace a file that appeared in the meantime. */
function place(file: string, target: string): void {
  try {
    linkSync(file, target)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') refuseToOverwrite(target)
    fail('STORE_READ_ONLY', `The backup ${target} cannot be put in its place (${reasonOf(error)}).`)
  }
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
