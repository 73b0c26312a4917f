/** The repository's own files, as its checks and generators see them: everything a clone holds, nothing that is built. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { ROOT } from './terminal.ts'

const NOT_OURS = new Set(['node_modules', 'dist', '.git', '.cache', '.keelson', 'coverage', 'test-results'])

/** Paths relative to the root, with forward slashes, sorted. A folder that is not there holds nothing. */
export function filesUnder(folder: string, endings: readonly string[] = ['']): readonly string[] {
  const found: string[] = []
  const walk = (absolute: string): void => {
    for (const entry of readdirSync(absolute, { withFileTypes: true })) {
      if (NOT_OURS.has(entry.name) || entry.name.endsWith('.log')) continue
      const path = join(absolute, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (endings.some((ending) => entry.name.endsWith(ending)))
        found.push(relative(ROOT, path).split(sep).join('/'))
    }
  }
  if (existsSync(join(ROOT, folder))) walk(join(ROOT, folder))
  return found.sort()
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

export function isTestFile(path: string): boolean {
  return path.endsWith('.test.ts')
}

/** The product's own source: src without its tests. */
export function productFiles(folder = 'src'): readonly string[] {
  return filesUnder(folder, ['.ts']).filter((path) => !isTestFile(path))
}
