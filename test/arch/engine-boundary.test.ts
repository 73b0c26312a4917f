/**
 * Engines plan nothing: whatever they load, by however many imports, neither decides nor reads a plan; and of a plan's body the
 * database of a run holds one copy, in the plan store (ENG-05).
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { importsOf } from './source.ts'
import { testFolder } from '../fixtures/folder.ts'
import { secretsOf } from '../fixtures/known-secrets.ts'

const DECIDES = /^src\/core\/run\/(?:decide|evolve|fold-event|explain)/
const READS_PLANS = /^src\/core\/plan\/(?:parse|compile|read|check|graph|builder|step-fields|plan-fields)/
const OTHERS = /^src\/(?:app|edge)\//

function reachable(files: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const left = [...files]
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    left.push(...importsOf(file).flatMap((item) => (item.external || item.typeOnly ? [] : [item.to])))
  }
  return seen
}

it('no engine reaches what decides or reads plans [ENG-05]', () => {
  const engines = productFiles('src/adapters/engines')
  expect(engines.length).toBeGreaterThan(10)
  const reached = [...reachable(engines)]
  expect(reached.filter((file) => DECIDES.test(file) || READS_PLANS.test(file) || OTHERS.test(file))).toEqual([])
})

it('the same look finds both where they are used', () => {
  const reached = [...reachable(['src/app/advance/advance-run.ts', 'src/app/plans/compile.ts'])]
  expect(reached.some((file) => DECIDES.test(file))).toBe(true)
  expect(reached.some((file) => READS_PLANS.test(file))).toBe(true)
})

const MARKER = 'marker-in-the-plan'
const SECRET = 'kept-from-every-row'

/** Tables of the database with a value that holds the text. */
function tablesWith(path: string, text: string): readonly string[] {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return tables
      .map(({ name }) => String(name))
      .filter((name) =>
        database
          .prepare(`SELECT * FROM "${name}"`)
          .all()
          .some((row) => Object.values(row).some((value) => textOf(value).includes(text))),
      )
  } finally {
    database.close()
  }
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value)
}

it('of a plan’s body a database holds one copy, with the plans, and of a secret none [ENG-05]', async () => {
  const directory = testFolder()
  const keelson = await openKeelson({
    directory,
    steps: { echo: (input) => input },
    secrets: secretsOf(() => SECRET),
  })
  const run = await keelson.start(
    loadPlan(`
plan: private
version: 1.0.0
steps: [{ id: a, run: echo, with: { word: '\${input.word}' }, description: ${MARKER}, secrets: { token: secret://a/b } }]
`),
    { word: 'in-the-input' },
  )
  await run.result()
  await keelson.close()
  const path = join(directory, 'keelson.db')
  expect(tablesWith(path, MARKER)).toEqual(['plans'])
  expect(tablesWith(path, 'in-the-input')).toContain('appends')
  expect(tablesWith(path, SECRET)).toEqual([])
})
