/**
 * README and guides as a reader follows them: files are written as the page prints them, and every command is typed as it stands, one
 * after the other in one shell. A command ends as the page says, and shows what the page shows. `guide-page.ts` has the orders that a
 * page may carry in invisible comments, for what a reader does besides, and for what cannot be typed here, with the reason.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownPort } from '../setup/own-port.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { startTemporal, temporalProgram, type TemporalServer } from '../setup/temporal.ts'
import { ensureBuilt } from './built.ts'
import { blocksOf, commandsOf, isTyped, PAGES, pictureOf, plain, type Block } from './guide-page.ts'
import { Reader, type Ended } from './guide-reader.ts'

const pages = PAGES.map((page) => ({ page, blocks: blocksOf(page) })).filter(({ blocks }) => blocks.some(isTyped))

let server: PostgresServer | undefined
let temporal: TemporalServer | undefined
beforeAll(async () => {
  await ensureBuilt()
  server = await startPostgres()
  temporal = await startTemporal()
}, 300_000)
afterAll(async () => {
  await temporal?.stop()
  await server?.stop()
})

/** What the orders of a page may speak of. */
async function surroundings(page: string): Promise<Readonly<Record<string, string>>> {
  const url = (await server?.createDatabase(page.replaceAll(/[^a-z]/gi, '_').toLowerCase())) ?? ''
  const { hostname, port, username } = new URL(url)
  return {
    POSTGRES: url,
    TEMPORAL: temporal?.address ?? '',
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    FREE_PORT: String(await ownPort()),
    KEELSON_TEMPORAL_BIN: temporalProgram(),
  }
}

/** What pages promise in words, beside how each command ends. */
const SAYS: Readonly<Record<string, readonly RegExp[]>> = {
  ...Object.fromEntries(
    ['temporal', 'dbos', 'inngest', 'airflow'].map((name) => [
      `docs/guides/coming-from-${name}.md`,
      [
        /attempt 3 of 5[\s\S]*✔ completed[\s\S]*"boxes":\[\{"box":"lamp"\},\{"box":"desk"\}\]/,
        /✖ failed [\s\S]*undone +charge[\s\S]*it fits no box/,
      ],
    ]),
  ),
  // A clone's first minutes with a server: a run followed to its end, and a task that only a second person may do.
  'docs/guides/api.md': [
    /^keelson is ready at http:\/\/127\.0\.0\.1:\d+ [^\n]*\n(?!keelson)/,
    /event: RunCompleted\n[\s\S]*event: end\n[^\n]*"status":"COMPLETED"[\s\S]*"output":\{"batches":4,[^\n]*"rows":93\}/,
    /event: ManualTaskOpened\n[\s\S]*event: RunCompleted\n[\s\S]*bo started this run \(MakerChecker\)/,
    /"code":"AUTHZ_DENIED"[^\n]*"message":"bo may not complete 'release': bo started this run[\s\S]*"kind":"accepted"/,
    /"batches":4,[^\n]*"rows":93\}[\s\S]*✔ release [\s\S]*"receipt":"paid 4200"/,
    / may not +the rule of 'release' needs the name[\s\S]*Succeeded recorded for run /,
  ],
  'docs/guides/secrets.md': [/"the token is \*\*\*\\n"/, /✔ secrets +1 secret named here, each has a value/],
}

/** What must not be shown. */
const NEVER: Readonly<Record<string, RegExp>> = { 'docs/guides/secrets.md': /sk-from/ }

const toldBy = ({ text, code, wanted, stdout, stderr }: Ended): string =>
  `${text}\nended with ${code ?? 'nothing: it was not reached'}, not ${wanted.exit}\n${stdout}${stderr}`

/** Their workers would be given each other's runs: one after the other. */
let onTemporal: Promise<unknown> = Promise.resolve()
function inTurn<T>(blocks: readonly Block[], follow: () => Promise<T>): Promise<T> {
  if (!blocks.some(({ code }) => code.includes('temporal'))) return follow()
  const followed = onTemporal.then(follow)
  onTemporal = followed.catch(() => undefined)
  return followed
}

/** Pages have nothing to do with each other, and on many of them a reader waits most of the time. */
describe('typed as it stands', { concurrent: true }, () => {
  it.each(pages)('$page', async ({ page, blocks }) => {
    const reader = new Reader(await surroundings(page))
    try {
      const { ended, beside } = await inTurn(blocks, () => reader.follows(blocks))
      expect(ended.filter(({ code, wanted }) => code !== wanted.exit).map(toldBy), beside).toEqual([])
      for (const { stdout, stderr, wanted } of ended) {
        if (wanted.shown.length > 0) expect(plain(stdout + stderr), wanted.text).toMatch(pictureOf(wanted.shown))
      }
      const all = ended.map(({ stdout }) => stdout).join('')
      for (const said of SAYS[page] ?? []) expect(all).toMatch(said)
      expect(all).not.toMatch(NEVER[page] ?? /\0/)
    } finally {
      reader.leaves()
    }
  })
})

describe('every block', () => {
  /** Who looks at what no shell reads. */
  const READ_BY: Readonly<Record<string, string>> = {
    ts: 'docs-code.test.ts compiles it',
    yaml: 'plans-of-pages.test.ts reads it as a plan',
    ini: 'deployment.test.ts reads orders.service and orders.env',
    dockerfile: 'deployment.test.ts reads what it copies and starts',
    typescript: 'code of Temporal, DBOS and Inngest, whose packages are not installed here',
    python: 'code of Airflow, which is not installed here',
  }
  const FOREIGN: readonly string[] = ['temporal', 'dbos', 'inngest', 'airflow'].map(
    (one) => `docs/guides/coming-from-${one}.md`,
  )
  const blocks = PAGES.flatMap((page) => blocksOf(page))
  const placeOf = ({ page, line, language }: Block): string => `${page}:${line} ${language}`

  it('is typed, or read by another test, or is code of another system on the page about it', () => {
    expect(blocks.filter((one) => !isTyped(one) && READ_BY[one.language] === undefined).map(placeOf)).toEqual([])
    const foreign = blocks.filter(({ language }) => language === 'typescript' || language === 'python')
    expect(foreign.map(({ page }) => page).toSorted()).toEqual(FOREIGN.toSorted())
  })

  it('that is typed elsewhere says where, and each order belongs to a command that is there', () => {
    for (const block of blocks.filter(isTyped)) {
      const { elsewhere, before, leaves, exits, where } = block.orders
      const most = commandsOf(block).length
      const about = placeOf(block)
      for (const [number, reason] of elsewhere)
        expect([about, number <= most, reason.length > 20]).toEqual([about, true, true])
      for (const number of [...before.keys(), ...leaves.keys(), exits.length])
        expect([about, number <= most]).toEqual([about, true])
      for (const [text] of where) expect([about, text, block.code.includes(text)]).toEqual([about, text, true])
    }
  })

  it('that is new is typed: one that fails, shows something else, or is not understood is found', async () => {
    const page = '```sh\nkeelson run nowhere.yaml\n```\n\n```console\n$ keelson --version\n9.9.9\n```\n'
    const reader = new Reader()
    const { ended } = await reader.follows(blocksOf('new.md', page))
    reader.leaves()
    expect(ended.map(({ code, wanted }) => [code, wanted.exit])).toEqual([
      [2, 0],
      [0, 0],
    ])
    expect(plain(ended[1]?.stdout ?? '')).not.toMatch(pictureOf(ended[1]?.wanted.shown ?? []))
    expect(() => blocksOf('new.md', `<!-- test: skip -->\n\n${page}`)).toThrow("a test cannot follow 'skip'")
  })
})
