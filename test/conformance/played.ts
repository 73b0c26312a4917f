/** Entries for tests: the corpus as the command reads it, and plays of single entries. */
import { playEntry, type Play } from '../../src/app/conformance/play-entry.ts'
import { readEntry, type Entry } from '../../src/app/conformance/read-entry.ts'
import { CONFORMANCE_ENGINES, PLAYING } from '../../src/compose/conformance-engines.ts'
import { readEntries } from '../../src/edge/cli/files/conformance-files.ts'
import { compileText, importText } from '../../src/library/plans/compile-apart.ts'
import type { BenchRun, ConformanceEngine } from '../../src/ports/conformance.ts'

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

/** Every run of an entry, with its log, as it was on the mock engine. */
export async function runsOf(entry: Entry): Promise<readonly BenchRun[]> {
  const seen: { runs: readonly BenchRun[] } = { runs: [] }
  await playEntry(watched(await engineOf('mock'), seen), entry, PLAYING)
  return seen.runs
}

/** The engine as it is, with its runs as they were last read. */
function watched(engine: ConformanceEngine, seen: { runs: readonly BenchRun[] }): ConformanceEngine {
  return {
    name: engine.name,
    open: async (wishes) => {
      const bench = await engine.open(wishes)
      const runs = async (): Promise<readonly BenchRun[]> => (seen.runs = await bench.runs())
      const { hold } = bench
      return {
        start: (plan, others, input) => bench.start(plan, others, input),
        signal: (runId, signal) => bench.signal(runId, signal),
        sendEvent: (event) => bench.sendEvent(event),
        complete: (runId, completion) => bench.complete(runId, completion),
        fork: (runId, options) => bench.fork(runId, options),
        close: () => bench.close(),
        runs,
        ...(hold === undefined ? {} : { hold: () => hold.call(bench) }),
      }
    },
    close: () => engine.close(),
  }
}
