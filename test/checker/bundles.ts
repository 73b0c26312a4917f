/** Bundles of played entries: the store of an entry is kept open until its runs are written out. */
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { playEntry } from '../../src/app/conformance/play-entry.ts'
import type { Entry } from '../../src/app/conformance/read-entry.ts'
import { bundleLines } from '../../src/app/log/run-bundle.ts'
import { keelsonEngine, PLAYING } from '../../src/compose/conformance-engines.ts'
import type { ConformanceEngine } from '../../src/ports/conformance.ts'
import type { RunStore } from '../../src/ports/run-store.ts'

type Kind = 'memory' | 'sqlite'

async function openStore(kind: Kind, folder: string): Promise<RunStore> {
  if (kind === 'memory') return openMemoryStore({ clock: systemClock })
  return openSqliteStore({ path: join(folder, 'keelson.db'), clock: systemClock })
}

/** Files of the bundles of every run that playing the entry made. */
export async function playedBundles(entry: Entry, kind: Kind, out: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-checker-'))
  const store = await openStore(kind, folder)
  const files: string[] = []
  const inner = keelsonEngine('embedded', () => ({ store, keysDirectory: join(folder, 'keys') }))
  const engine: ConformanceEngine = {
    ...inner,
    open: async (wishes) => {
      const bench = await inner.open(wishes)
      const close = async (): Promise<void> => {
        for (const { runId } of await bench.runs()) files.push(await bundleOf(store, runId, join(out, entry.name)))
        await bench.close()
      }
      return { ...bench, close }
    },
  }
  try {
    await playEntry(engine, entry, PLAYING)
    return files
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function bundleOf(store: RunStore, runId: string, prefix: string): Promise<string> {
  const row = await store.findRun({ tenantId: 'local', runId })
  if (row === undefined) throw new Error(`no run ${runId}`)
  const file = `${prefix}.${runId}.jsonl`
  const lines = await collect(bundleLines(store, row))
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  return file
}

async function collect(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = []
  for await (const line of lines) found.push(line)
  return found
}
