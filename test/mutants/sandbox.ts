/**
 * A copy of the sources and their tests in a temporary folder, with one fault planted in it. The repository itself is never
 * changed; a fault whose text no longer stands exactly once in its file is an error and never passes for a caught one.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutant } from './mutant.ts'

export const ROOT = join(import.meta.dirname, '..', '..')
const COPIED = ['src', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts']

/** The file's text with the fault in it. */
export function plantedText(source: string, { name, file, find, replace }: Mutant): string {
  const places = source.split(find).length - 1
  if (places !== 1) throw new Error(`'${name}' fits ${places} places in src/${file}, not one: ${find}`)
  return source.replace(find, () => replace)
}

/** Undefined plants nothing: the control that must come out clean. */
export async function inSandbox<T>(mutant: Mutant | undefined, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-mutant-'))
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    if (mutant !== undefined) {
      const path = join(folder, 'src', mutant.file)
      writeFileSync(path, plantedText(readFileSync(path, 'utf8'), mutant))
    }
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
