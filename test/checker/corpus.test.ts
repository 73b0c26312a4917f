/** A checker in another language, written from docs/reference/log.md alone, finds every log of the corpus whole, and bites. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomSource } from '../fuzz/random-source.ts'
import { CORPUS } from '../conformance/played.ts'
import { playedBundles } from './bundles.ts'
import { checkFiles, type Checked } from './python.ts'
import { alteredBundle, relinkedText, UNPROTECTED } from './alter.ts'
import { SEED } from '../setup/seed.ts'

const MINUTES = 170_000
const AT_ONCE = 6
const FLIPS = 400
const ALTERATIONS = 400

let folder = ''
const files: string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-bundles-'))
  const open = CORPUS.map((entry, index) => ({
    entry,
    kind: index % 2 === 0 ? ('sqlite' as const) : ('memory' as const),
  }))
  const work = async (): Promise<void> => {
    for (let next = open.pop(); next !== undefined; next = open.pop())
      files.push(...(await playedBundles(next.entry, next.kind, folder)))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}, MINUTES)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const broken = (checked: readonly Checked[]): readonly Checked[] => checked.filter(({ whole }) => !whole)

it('every bundle of the corpus, on SQLite and in memory, is whole by the rules of the log page alone [P-33]', () => {
  expect(files.length).toBeGreaterThanOrEqual(CORPUS.length - 5)
  const checked = checkFiles(folder, files)
  expect(broken(checked)).toEqual([])
  expect(checked.reduce((sum, { events = 0 }) => sum + events, 0)).toBeGreaterThan(files.length * 3)
})

describe('it bites', () => {
  const seed = SEED

  it(`one byte changed anywhere in a bundle is found (seed ${seed})`, () => {
    const random = randomSource(seed)
    const made = Array.from({ length: FLIPS }, (_, index) => {
      const from = files[random.below(files.length)] ?? ''
      const bytes = readFileSync(from)
      const at = random.below(bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
      const file = join(folder, `flip-${index}.jsonl`)
      writeFileSync(file, bytes)
      return { file, what: `byte ${at} of ${from}` }
    })
    const checked = checkFiles(
      folder,
      made.map(({ file }) => file),
    )
    expect(made.filter((_, index) => checked[index]?.whole !== false).map(({ what }) => what)).toEqual([])
  })

  it(`a value changed by somebody who makes the links fit again is found, save those the page lists (seed ${seed})`, () => {
    const random = randomSource(seed)
    const made = Array.from({ length: ALTERATIONS }, (_, index) => {
      const from = files[random.below(files.length)] ?? ''
      const { text, what } = alteredBundle(readFileSync(from, 'utf8'), random)
      const file = join(folder, `altered-${index}.jsonl`)
      writeFileSync(file, text)
      return { file, what }
    })
    const checked = checkFiles(
      folder,
      made.map(({ file }) => file),
    )
    const missed = made.filter((_, index) => checked[index]?.whole !== false).map(({ what }) => what)
    expect([...new Set(missed)].filter((what) => !UNPROTECTED.has(what))).toEqual([])
    expect(missed.length).toBeLessThan(ALTERATIONS / 2)
  })

  it('an event that is left out, doubled or moved is found though all links fit', () => {
    const from = files.find((file) => readFileSync(file, 'utf8').split('\n').length > 12) ?? ''
    const lines = readFileSync(from, 'utf8').trimEnd().split('\n')
    const at = lines.findIndex((line) => line.includes('"part":"event"')) + 1
    const edits: Readonly<Record<string, readonly string[]>> = {
      'left-out': lines.toSpliced(at, 1),
      doubled: lines.toSpliced(at, 0, lines[at] ?? ''),
      moved: lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''),
    }
    const made = Object.entries(edits).map(([name, edited]) => {
      const file = join(folder, `${name}.jsonl`)
      writeFileSync(file, relinkedText(edited))
      return file
    })
    expect(checkFiles(folder, made).map(({ whole }) => whole)).toEqual([false, false, false])
  })
})
