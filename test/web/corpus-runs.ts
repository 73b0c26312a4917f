/** Runs of the corpus of conformance, kept and served: retries, sagas, signals, pauses, loops, children, people, timeouts. */
import { playEntry } from '../../src/app/conformance/play-entry.ts'
import type { Entry } from '../../src/app/conformance/read-entry.ts'
import { keelsonEngine, PLAYING } from '../../src/compose/conformance-engines.ts'
import { CORPUS } from '../conformance/played.ts'
import { testFolder } from '../fixtures/folder.ts'
import type { Served } from '../server/served.ts'
import { servedPage } from './browser.ts'

/** What a run can go through: some of each. */
const KINDS: readonly RegExp[] = [
  /^retr(?:ies|yable)/,
  /^compensation/,
  /^for-each/,
  /^pause/,
  /^hold/,
  /^(?:cancel|emergency)/,
  /^child/,
  /^(?:signals|skip)/,
  /^manual/,
  /^wait/,
  /^(?:fallback|failure)/,
  /^(?:inject|update|fork)/,
]

/** `each` of every kind, by the die; what is refused has no run. */
export function somePlayable(die: (limit: number) => number, each: number): readonly Entry[] {
  return KINDS.flatMap((kind) => {
    const left = CORPUS.filter(({ name, expect }) => kind.test(name) && expect?.refused === undefined)
    return Array.from({ length: Math.min(each, left.length) }, () => left.splice(die(left.length), 1)).flat()
  })
}

export interface ServedRuns extends AsyncDisposable {
  readonly server: Served
  /** The run of the entry, and those that came of it. */
  readonly ids: readonly string[]
}

/** Played as the command plays it, on a disk, and then opened again by a server with the page. */
export async function playedAndServed(entry: Entry): Promise<ServedRuns> {
  const directory = testFolder()
  await playEntry(
    keelsonEngine('embedded', () => ({ directory })),
    entry,
    PLAYING,
  )
  const server = await servedPage({ directory, adopt: false })
  const { executions } = (await server.call('GET /v1/executions?limit=50', { as: '' })).body
  const ids = (executions as readonly { readonly executionId: string }[]).map(({ executionId }) => executionId)
  return { server, ids, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
