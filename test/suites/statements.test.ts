/**
 * How many statements an operation sends does not depend on how many steps, items, children, tasks, waits or runs there are: what is a list is
 * read in pages. Counted at the connections of real stores, with 5 of everything and with 50. On SQLite, which is in the process, only what is
 * read counts: rows are written one by one there, in one transaction.
 */
import picocolors from 'picocolors'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { runProgram } from '../../src/edge/cli/program.ts'
import { screenWith } from '../../src/edge/cli/terminal/paint.ts'
import type { Terminal } from '../../src/edge/cli/terminal/terminal.ts'
import { openKeelson, type Keelson } from '../../src/main.ts'
import { countStatements } from '../fixtures/counted-statements.ts'
import { fileFolder } from '../fixtures/folder.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { commandsOn, fill, operationsOn, operationsOnAll, STEPS } from './statements-world.ts'

const FEW = 5
const MANY = 50
/** One more page here, one batch more there: less than half a statement for each one that is more. */
const MORE_MAX = 20
/** What goes to each of n runs sends so many statements to each, and no more; by operation. */
const TO_EACH_RUN: Readonly<Record<string, number>> = {
  'children: drive': 6,
  // SQLite looks for kept events of each wait by its key.
  'waits: adopt': 1,
  // Is there a run of this id, and is it of this parent?
  'children: verify': 1,
  tasks: 6,
  // SQLite notes the place in each log; there are n children, n runs that ask and n that rest.
  'subscription: drain': 3 * 4,
  // Each dead letter is delivered, and dropped, by itself; at most 100 at a call.
  'subscription: redeliver': 2,
  // Of each kind of subject there are runs: n children, n that ask, n that rest, and children of forks.
  verifyStore: 4 * 20,
}

const paint = picocolors.createColors(false)
function terminalInto(written: string[]): Terminal {
  const note = (text = ''): void => void written.push(text)
  return {
    isTty: false,
    canAsk: false,
    isLeft: false,
    columns: 80,
    rows: 24,
    paint,
    errorPaint: paint,
    screen: screenWith(''),
    write: note,
    line: note,
    errorLine: note,
    errorLines: note,
    othersText: note,
    exact: note,
    json: (value) => note(JSON.stringify(value)),
    ask: async () => '',
    catchOthers: () => () => undefined,
    flush: async () => undefined,
  }
}

interface Place {
  readonly open: () => Promise<Keelson>
  /** Names the place on the command line. */
  readonly options: readonly string[]
  readonly counts: (text: string) => boolean
}

/** No poll and no receipts: whatever is sent, the operation sends. */
const ALONE = { steps: STEPS, pollMs: 3_600_000, receipts: false, adopt: false } as const

let server: PostgresServer
beforeAll(async () => void (server = await startPostgres()), 120_000)
afterAll(() => server.stop())
const folders = { [FEW]: fileFolder(), [MANY]: fileFolder() }
const keys = { [FEW]: fileFolder(), [MANY]: fileFolder() }

async function placeOf(kind: string, n: typeof FEW | typeof MANY): Promise<Place> {
  if (kind === 'SQLite') {
    const directory = folders[n]
    const counts = (text: string): boolean => /^\s*(SELECT|WITH)\b/i.test(text)
    return { open: () => openKeelson({ ...ALONE, directory }), options: ['--dir', directory], counts }
  }
  const connectionString = await server.createDatabase(`statements_${n}`)
  const directory = keys[n]
  const open = async (): Promise<Keelson> =>
    openKeelson({ ...ALONE, store: await openPostgresStore({ connectionString }), keysDirectory: directory, directory })
  return {
    open,
    options: ['--dir', directory, '--keys-dir', directory, '--store', connectionString],
    counts: () => true,
  }
}

type Counts = Map<string, number>

async function countsOf({ open, options, counts }: Place, n: number): Promise<Counts> {
  const found: Counts = new Map()
  const count = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const { texts } = await countStatements(work)
    found.set(name, texts.filter(counts).length)
  }
  const first = await open()
  const subjects = await fill(first, n, count)
  await first.close()
  // Nothing of it is in memory any more.
  const keelson = await open()
  for (const [name, work] of Object.entries(operationsOnAll(keelson))) await count(name, work)
  for (const subject of subjects)
    for (const [name, work] of Object.entries(operationsOn(keelson, await keelson.run(subject.runId), subject)))
      await count(`${subject.name}: ${name}`, work)
  await keelson.close()
  for (const [name, args] of Object.entries(commandsOn(subjects))) {
    const told: string[] = []
    await count(`keelson ${name}`, async () => {
      const code = await runProgram([...args, ...options], terminalInto(told))
      expect([args, code, code < 2 ? '' : told.join('\n')]).toEqual([args, expect.any(Number), ''])
    })
  }
  return found
}

it.each(['SQLite', 'PostgreSQL'])(
  'no operation of library and command line sends more statements for 50 than for 5 of anything, on %s',
  async (kind) => {
    const few = await countsOf(await placeOf(kind, FEW), FEW)
    const many = await countsOf(await placeOf(kind, MANY), MANY)
    expect([...many.keys()]).toEqual([...few.keys()])
    const grown = [...many].flatMap(([name, sent]) => {
      const allowed = MORE_MAX + (TO_EACH_RUN[name] ?? 0) * (MANY - FEW)
      const more = sent - (few.get(name) ?? 0)
      return more > allowed ? [`${name}: ${few.get(name)} with ${FEW}, ${sent} with ${MANY}`] : []
    })
    expect(grown).toEqual([])
  },
  600_000,
)
