/** Generated files: written by `npm run docs`, and with `--check` only compared, so that none can go stale unseen. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesUnder, textOf } from './repository.ts'
import { ROOT } from './terminal.ts'

export interface GeneratedFile {
  readonly path: string
  readonly text: string
}

/** Paths that are not what the generator would write, including files it would not write at all. */
export function staleFiles(files: readonly GeneratedFile[], ownedFolder?: string): readonly string[] {
  const expected = new Map(files.map((file) => [file.path, file.text]))
  const stale = files.filter((file) => !existsSync(join(ROOT, file.path)) || textOf(file.path) !== file.text)
  const present = ownedFolder === undefined ? [] : filesUnder(ownedFolder)
  return [...stale.map((file) => file.path), ...present.filter((path) => !expected.has(path))]
}

export function writeFiles(files: readonly GeneratedFile[], ownedFolder?: string): readonly string[] {
  const stale = staleFiles(files, ownedFolder)
  const texts = new Map(files.map((file) => [file.path, file.text]))
  for (const path of stale) {
    const text = texts.get(path)
    const absolute = join(ROOT, path)
    if (text === undefined) rmSync(absolute)
    else {
      mkdirSync(dirname(absolute), { recursive: true })
      writeFileSync(absolute, text)
    }
  }
  return stale
}
