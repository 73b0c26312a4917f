/** Through every door, on every store: a text of exactly the limit is taken and comes back byte by byte; one byte more changes nothing. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { openKeelson, type Keelson } from '../../src/main.ts'
import { DOORS, textOf } from '../fixtures/limit-doors.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const PATIENCE_MS = 120_000
let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
}, PATIENCE_MS)
afterAll(() => server.stop())

/** All that a refusal must leave as it was: events and inbox rows of every run, and what can be proved of them. */
async function trace(keelson: Keelson, isLasting: boolean): Promise<unknown> {
  const { store } = servicesOf(keelson)
  const runs: unknown[] = []
  for await (const row of keelson.runs()) {
    const events = (await store.readEvents(row.runKey, {})).map(({ eventType, runSeq }) => `${runSeq} ${eventType}`)
    runs.push([row.runId, row.status, row.quarantine, events, await store.readInbox(row.runKey)])
  }
  const proof = isLasting ? await keelson.maintenance.verifyStore() : undefined
  return { runs, broken: proof?.broken, findings: proof?.findings }
}

describe.each(['memory', 'sqlite', 'postgres'] as const)('on the %s store', (kind) => {
  let keelson: Keelson
  let folder = ''
  const isLasting = kind !== 'memory'

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-limits-'))
    const connectionString = kind === 'postgres' ? await server.createDatabase('limits') : ''
    const store =
      kind === 'postgres'
        ? { store: await openPostgresStore({ connectionString }), keysDirectory: join(folder, 'keys') }
        : {}
    const steps = { echo: (given: unknown) => given }
    keelson = await openKeelson({ directory: isLasting ? folder : ':memory:', pollMs: 20, steps, ...store })
  }, PATIENCE_MS)
  afterAll(async () => {
    await keelson.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const doors = DOORS.filter(({ lasting }) => isLasting || lasting !== true)
  it.each(doors)(
    '$name: what fits is kept byte by byte, and one byte more changes nothing',
    { timeout: PATIENCE_MS },
    async ({ limit, code, open }) => {
      const door = await open(keelson)
      const before = await trace(keelson, isLasting)
      await expect(door.give(textOf(limit + 1))).rejects.toMatchObject({
        code,
        message: expect.stringMatching(/bytes|characters/),
      })
      expect(await trace(keelson, isLasting)).toEqual(before)
      const most = textOf(limit)
      await door.give(most)
      expect(await door.read()).toSatisfy((read: unknown) => read === most || read === 'kept as a hash')
    },
  )

  it('nothing of all this has set a run aside', { timeout: PATIENCE_MS }, async () => {
    const aside: unknown[] = []
    for await (const row of keelson.runs()) if (row.quarantine !== undefined) aside.push(row.quarantine)
    expect(aside).toEqual([])
    if (isLasting) expect(await keelson.maintenance.verifyStore()).toMatchObject({ broken: [], findings: [] })
  })
})
