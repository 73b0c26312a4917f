/** Entries for tests: the corpus as the command reads it, and plays of single entries. */
import { playEntry, type Play } from '../../src/app/conformance/play-entry.ts'
import { readEntry, type Entry } from '../../src/app/conformance/read-entry.ts'
import { CONFORMANCE_ENGINES, PLAYING } from '../../src/compose/conformance-engines.ts'
import { readEntries } from '../../src/edge/cli/files/conformance-files.ts'
import { compileText, importText } from '../../src/library/compile-apart.ts'
import type { ConformanceEngine } from '../../src/ports/conformance.ts'

export const CORPUS: readonly Entry[] = readEntries([], [])

export async function engineOf(name: string): Promise<ConformanceEngine> {
  const open = CONFORMANCE_ENGINES[name]
  if (open === undefined) throw new Error(`no engine ${name}`)
  return open(name)
}

export function entryOf(yaml: string): Entry {
  const read = readEntry({
    file: 'entry.yaml',
    name: 'entry',
    text: yaml,
    readBeside: nothingBeside,
    compile: compileText,
    importForeign: importText,
  })
  if (!read.ok) throw new Error(read.problems.map((one) => one.message).join('\n'))
  return read.value
}

export function nothingBeside(path: string): never {
  throw new Error(`there is no ${path}`)
}

export async function playOn(name: string, entry: Entry): Promise<Play> {
  return playEntry(await engineOf(name), entry, PLAYING)
}
