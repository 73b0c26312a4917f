/** The longest id that a run may have, at every door: a program on each store, the command, and the files it writes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { loadPlan, openKeelson, type Keelson, type OpenOptions } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { refusal } from '../fixtures/refusal.ts'
import { untilFound } from '../fixtures/until.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'

const LONGEST = `order ${'x'.repeat(249)}`
const TOO_LONG = `${LONGEST}x`
/** As many characters, and four times as many bytes. */
const LONGEST_IDS = { ascii: LONGEST, cyrillic: `order ${'ж'.repeat(249)}`, ships: '🚢'.repeat(255) }
const FAMILY = `plan: family
version: 1.0.0
steps: [{ id: sub, plan: { planId: kid } }, { id: keep, run: keep }, { id: release, manual: { title: Release it } }]`
const KID = 'plan: kid\nversion: 1.0.0\nsteps: [{ id: a, run: echo }]'
const steps: NonNullable<OpenOptions['steps']> = {
  echo: (given: unknown) => given,
  keep: async (_given: unknown, { artifacts }) => void (await artifacts.put('bytes', { kind: 'note' })),
}

let server: PostgresServer
let databases = 0
beforeAll(async () => {
  await ensureBuilt()
  server = await startPostgres()
}, 600_000)
afterAll(() => server?.stop())

const STORES: Readonly<Record<string, () => Promise<OpenOptions>>> = {
  SQLite: async () => ({ directory: testFolder() }),
  PostgreSQL: async () => {
    const store = await openPostgresStore({
      connectionString: await server.createDatabase(`long_ids_${(databases += 1)}`),
    })
    return { store, keysDirectory: testFolder() }
  },
}

async function released(program: Keelson, runId: string): Promise<void> {
  const run = await program.run(runId)
  const task = await untilFound(async () => (await run.tasks())[0])
  await run.completeTask({ completionToken: task.token, outcome: 'Succeeded', actorUserId: 'ana' })
  expect((await run.result()).status).toBe('COMPLETED')
}

describe.each(Object.keys(STORES))('on %s', (name) => {
  it.each(Object.entries(LONGEST_IDS))(
    'a run id of 255 characters (%s) is that of a run with a child, a task and a fork, and one of 256 is refused everywhere [X-14]',
    async (_of, longest) => {
      const tooLong = `${longest}${[...longest].at(-1)}`
      expect([[...longest].length, [...tooLong].length]).toEqual([255, 256])
      const options = (await STORES[name]?.()) ?? {}
      await using program = await openKeelson({ ...options, steps, pollMs: 20 })
      await program.publish(loadPlan(KID))
      const run = await program.start(loadPlan(FAMILY), {}, { runId: longest })
      expect(run.runId).toBe(longest)
      await released(program, longest)
      expect((await run.related()).children).toHaveLength(1)
      expect(await run.artifacts()).toHaveLength(1)
      const fork = await program.fork(longest, { from: 'release' })
      expect(fork.row.originalRunId).toBe(longest)
      await released(program, fork.runId)
      expect((await program.maintenance.verify((await program.run(longest)).row)).decisions).toMatchObject({
        follows: true,
      })
      const actor = { userId: 'ana', roles: ['Operator'], tenantId: 'local' }
      for (const ref of [longest, run.row.engineRunRef])
        expect(await program.as(actor).getRunStatus(ref)).toMatchObject({ runId: longest, status: 'COMPLETED' })
      const doors = [
        program.start(loadPlan(KID), {}, { runId: tooLong }),
        program.run(tooLong),
        program.fork(tooLong),
        program.as(actor).getRunStatus(tooLong),
      ]
      for (const door of doors) expect((await refusal(door)).code).toBe('VALUE_TOO_LARGE')
    },
  )

  it('a child of a run whose id has 255 characters of four bytes is stopped with it [X-14]', async () => {
    const options = (await STORES[name]?.()) ?? {}
    await using program = await openKeelson({ ...options, steps, pollMs: 20 })
    await program.publish(loadPlan('plan: kid\nversion: 1.0.0\nsteps: [{ id: a, manual: { title: Look } }]'))
    const run = await program.start(loadPlan(FAMILY), {}, { runId: LONGEST_IDS.ships })
    const child = await untilFound(async () => (await run.related()).children[0])
    await run.cancel('no longer wanted')
    for (const runId of [run.runId, child.runId]) {
      const stopped = await program.run(runId)
      await untilFound(async () => ((await stopped.snapshot()).status === 'CANCELLED' ? stopped : undefined))
    }
  })
})

describe('the command', () => {
  it('shows, proves, exports, cancels and archives the run of a program by its whole id, its first characters and any case of letters [X-14]', async () => {
    const folder = folderWith({})
    const program = await openKeelson({ directory: join(folder, '.keelson'), steps })
    const task = loadPlan('plan: task\nversion: 1.0.0\nsteps: [{ id: a, manual: { title: Look } }]')
    for (const runId of [LONGEST, 'Order-7', 'Order-77', 'ab']) await program.start(task, {}, { runId })
    await program.close()
    for (const name of [LONGEST, LONGEST.slice(0, 40), 'order xx', 'Order-7', 'ab']) {
      const [shown] = jsonLines((await keelson(['show', name, '--json'], folder)).stdout)
      const whole = LONGEST.startsWith(name) ? LONGEST : name
      expect([name, shown?.['runId']]).toEqual([name, whole])
    }
    for (const command of ['events', 'why', 'signals', 'verify'])
      expect([command, (await keelson([command, LONGEST], folder)).code]).toEqual([command, 0])
    expect((await keelson(['cancel', LONGEST], folder)).code).toBe(0)
    expect((await keelson(['export', LONGEST, '--out', 'run.jsonl'], folder)).code).toBe(0)
    expect((await keelson(['verify', 'run.jsonl'], folder)).code).toBe(0)
    const archived = await keelson(['archive', LONGEST, '--json'], folder)
    expect([archived.code, archived.stderr]).toEqual([0, ''])
    const refused = await keelson(['show', TOO_LONG], folder)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('VALUE_TOO_LARGE')])
    const none = await keelson(['show', 'order-8'], folder)
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('RUN_NOT_FOUND')])
  })

  it('starts a queued run with such an id, and drives it to its end [X-14]', async () => {
    const folder = folderWith({ 'plan.yaml': KID })
    writeFileSync(join(folder, 'keelson.steps.mjs'), 'export const echo = (given) => given\n')
    const program = await openKeelson({ directory: join(folder, '.keelson') })
    await program.start(loadPlan(KID), {}, { runId: LONGEST, queue: true })
    await program.close()
    const { code, stderr } = await keelson(['queue', 'start', LONGEST, '--steps', 'keelson.steps.mjs'], folder)
    expect([code, stderr]).toEqual([0, ''])
  })
})
