/**
 * A copy of the sources and their tests in a temporary folder, with one fault planted in it. The repository itself is never
 * changed; a fault whose text no longer stands exactly once in its file is an error and never passes for a caught one.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutant } from './mutant.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const COPIED = ['src', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts']

/** The file's text with the fault in it. */
export function plantedText(source: string, mutant: Mutant): string {
  const places = placesIn(source, mutant)
  if (places !== 1) throw new Error(`'${mutant.name}' fits ${places} places in src/${mutant.file}, not one`)
  return source.replace(mutant.find, () => mutant.replace)
}

function placesIn(source: string, { find }: Mutant): number {
  return source.split(find).length - 1
}

/** Which faults no longer fit the sources. */
export function misfits(mutants: readonly Mutant[]): readonly string[] {
  return mutants.flatMap((mutant) => {
    const { name, file, find } = mutant
    const places = placesIn(readFileSync(join(ROOT, 'src', file), 'utf8'), mutant)
    return places === 1 ? [] : [`'${name}' fits ${places} places in src/${file}, not one: ${find}`]
  })
}

/** Says it at once and of all of them, before any is looked for. */
export function requireFits(mutants: readonly Mutant[]): void {
  const found = misfits(mutants)
  if (found.length > 0) throw new Error(found.join('\n'))
}

export interface Sandbox {
  readonly folder: string
  /** Plants one fault for as long as the work takes. */
  readonly withFault: <T>(mutant: Mutant, work: () => Promise<T>) => Promise<T>
}

/** The copy lives as long as the work; nothing is planted in it yet. */
export async function inSandbox<T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-mutants-'))
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    return await work({ folder, withFault: (mutant, during) => withFault(folder, mutant, during) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function withFault<T>(folder: string, mutant: Mutant, work: () => Promise<T>): Promise<T> {
  const path = join(folder, 'src', mutant.file)
  const sound = readFileSync(path, 'utf8')
  writeFileSync(path, plantedText(sound, mutant))
  try {
    return await work()
  } finally {
    writeFileSync(path, sound)
  }
}
