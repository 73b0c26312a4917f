/**
 * docs/reference/spec.md: one line for each id that a test names, in our own words. The lines are hand-written data
 * (test/trace/spec-lines.json); which of them appear is read from the titles in the sources.
 */
import type { GeneratedFile } from './generated-file.ts'
import { textOf } from './repository.ts'
import { areaOf, idsOfTitle, knownIds, readIds } from './requirement-ids.ts'
import { allTitles } from './test-titles.ts'
import { waitingProofs } from './waiting-proofs.ts'

const AREA_TITLES = 'test/trace/areas.json'
const LINES = 'test/trace/spec-lines.json'

export function readLines(): Readonly<Record<string, string>> {
  return JSON.parse(textOf(LINES)) as Readonly<Record<string, string>>
}

/** Ids named by a test title anywhere in the sources. */
export function idsNamedByTests(): ReadonlySet<string> {
  const known = knownIds(readIds())
  return new Set(allTitles().flatMap((title) => idsOfTitle(title.text, known).ids))
}

/** Ids that tests prove of modules alone to which no door leads yet, with that door. */
function idsThatWait(): ReadonlyMap<string, string> {
  const known = knownIds(readIds())
  const waitsFor = waitingProofs()
  const proven = new Set<string>()
  const waiting = new Map<string, string>()
  for (const { text, path } of allTitles())
    for (const id of idsOfTitle(text, known).ids) {
      const door = waitsFor(path, text)
      if (door === undefined) proven.add(id)
      else waiting.set(id, door)
    }
  return new Map([...waiting].filter(([id]) => !proven.has(id)))
}

export function specPage(): GeneratedFile {
  const areas = JSON.parse(textOf(AREA_TITLES)) as Readonly<Record<string, string>>
  const lines = readLines()
  const named = idsNamedByTests()
  const waiting = idsThatWait()
  const without = [...named].filter((id) => lines[id] === undefined)
  if (without.length > 0) throw new Error(`${LINES} has no line for ${without.sort().join(', ')}`)
  const sections = Object.entries(readIds()).flatMap(([area, ids]) => {
    const shown = ids.filter((id) => named.has(id))
    if (shown.length === 0) return []
    return [
      `## ${area}: ${areas[area] ?? areaOf(area)}`,
      '',
      ...shown.map((id) => `- **${id}** ${lines[id] ?? ''}${waiting.has(id) ? ` _(${waiting.get(id) ?? ''})_` : ''}`),
      '',
    ]
  })
  const head = [
    '# What the tests prove',
    '',
    '<!-- Generated from test titles and test/trace/spec-lines.json by `npm run docs`. -->',
    '',
    'One line for each requirement that at least one test names. `npm run trace` tells which of them pass right now.',
    'In brackets stands what a line still waits for before a user can reach what its tests prove.',
    '',
  ]
  return { path: 'docs/reference/spec.md', text: [...head, ...sections].join('\n') }
}
