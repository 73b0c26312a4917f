/** Whoever edits a bundle can compute its links again: what a line says must be right of itself, or hang on the chain of the log. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { checkBundle } from '../../src/app/verify/check-bundle.ts'
import { canonicalText } from '../../src/app/log/canonical.ts'
import { linkOf } from '../../src/app/log/run-bundle.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'

const directory = mkdtempSync(join(tmpdir(), 'keelson-relinked-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

type Fields = Record<string, unknown>
interface Line {
  readonly part: string
  readonly body: Fields
}

async function bundled(): Promise<readonly Line[]> {
  await using keelson = await openKeelson({ directory, steps: { f: () => 1 } })
  const run = await keelson.start(loadPlan('{ plan: p, version: 1.0.0, steps: [{ id: a, run: f }] }'))
  await run.result()
  const lines: Line[] = []
  for await (const text of keelson.maintenance.bundle((await keelson.run(run.runId)).row))
    lines.push(JSON.parse(text) as Line)
  return lines
}

async function verdict(lines: readonly Line[]): Promise<string> {
  let link = ''
  const texts = lines.map(({ part, body }) => {
    link = linkOf(link, part, body)
    return canonicalText({ part, body, link })
  })
  const given = (async function* () {
    yield* texts
  })()
  try {
    const { chain, findings = [], decisions } = await checkBundle(given)
    return chain.broken === undefined && findings.length === 0 && decisions.follows ? 'whole' : 'not whole'
  } catch (thrown) {
    return (thrown as { readonly code?: string }).code ?? String(thrown)
  }
}

it('a bundle with links that fit is refused where a number of the run is none, or where lines are not all there', async () => {
  const lines = await bundled()
  expect(await verdict(lines)).toBe('whole')
  const changed = (part: string, more: Fields): readonly Line[] =>
    lines.map((line) => (line.part === part ? { ...line, body: { ...line.body, ...more } } : line))
  for (const epoch of [true, '9', 1.5, 0, null, 1e308])
    expect(await verdict(changed('run', { epoch }))).toBe('BUNDLE_BROKEN')
  for (const updatedAt of [true, 'x', null, {}])
    expect(await verdict(changed('run', { updatedAt }))).toBe('BUNDLE_BROKEN')
  for (const count of [lines.length - 1, lines.length + 1, null, `${lines.length}`])
    expect(await verdict(changed('end', { lines: count }))).toBe('BUNDLE_BROKEN')
  const more = lines.toSpliced(1, 0, { part: 'note', body: {} })
  expect(await verdict(more)).toBe('BUNDLE_BROKEN')
})
