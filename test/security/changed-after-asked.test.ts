/** Somebody changes the input while an approval is open: who approves reads what will be done, and that and by whom it was changed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { loadPlan, openKeelson, type Keelson, type OpenTask, type RunHandle } from '../../src/main.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { keelson } from '../e2e/command.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { untilFound } from '../fixtures/until.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const folders: string[] = []
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'keelson-changed-'))
  folders.push(made)
  return made
}
const PATIENCE_MS = 120_000
let server: PostgresServer
beforeAll(async () => {
  await ensureBuilt()
  server = await startPostgres()
}, PATIENCE_MS)
afterAll(() => server.stop())
afterAll(() => folders.forEach((one) => rmSync(one, { recursive: true, force: true })))

const PAY = `plan: pays
version: 1.0.0
steps:
  - { id: m, manual: { title: 'Pay \${input.amount}', rule: MakerChecker } }
  - { id: pay, run: pay, with: { amount: '\${input.amount}' }, effect: irreversible }
`

const open = (run: RunHandle, slot = 'm'): Promise<OpenTask> =>
  untilFound(async () => (await run.tasks()).find((task) => task.slot === slot))

const update = (run: RunHandle, params: Readonly<Record<string, unknown>>) =>
  run.signal('UPDATE_PARAMS', { params, reason: 'typo' }, { actorId: 'dora' })

const planOf = (name: string, steps: string) => loadPlan(`plan: ${name}\nversion: 1.0.0\nsteps: [${steps}]`)
const done = (task: OpenTask, actorUserId: string) =>
  ({ completionToken: task.token, outcome: 'Succeeded', actorUserId }) as const
const DORA = { signalType: 'UPDATE_PARAMS', actorId: 'dora', reason: 'typo' }

describe.each(['memory', 'sqlite', 'postgres'])('an input that is changed while an approval is open, on %s', (kind) => {
  const paid: unknown[] = []
  const opened = async (): Promise<Keelson> => {
    paid.length = 0
    const directory = folder()
    const steps = { pay: (input: unknown) => paid.push(input) }
    const place = { directory, keysDirectory: join(directory, 'keys'), pollMs: 20, steps }
    if (kind === 'sqlite') return openKeelson(place)
    const connectionString = kind === 'postgres' ? await server.createDatabase(`changed${folders.length}`) : ''
    const clock = { now: () => Date.now() }
    const store = kind === 'memory' ? openMemoryStore({ clock }) : await openPostgresStore({ connectionString })
    return openKeelson({ ...place, store })
  }

  it('is what the task says, with who changed it; what is approved is what is paid [MAN-02, MAN-13]', async () => {
    await using at = await opened()
    const run = await at.start(loadPlan(PAY), { amount: 42 }, { actorId: 'carl' })
    const before = await open(run)
    expect(before.title).toBe('Pay 42')
    expect(before.changed).toBeUndefined()
    await update(run, { amount: 420_000 })
    const after = await open(run)
    expect(after.title).toBe('Pay 420000')
    expect(after.changed).toMatchObject([DORA])
    expect(await run.why('m')).toMatchObject([{ kind: 'waiting-for-person', changed: [DORA] }])
    for await (const task of at.tasks()) expect(task.title).toBe('Pay 420000')
    await expect(run.completeTask(done(before, 'ben'))).rejects.toMatchObject({ code: 'TASK_NOT_OPEN' })
    expect(paid).toEqual([])
    await run.completeTask(done(after, 'ben'))
    expect((await run.result()).status).toBe('COMPLETED')
    expect(paid).toEqual([{ amount: 420_000 }])
  })

  it('decides whom the task is for as it is shown, also of each item of a list [MAN-07]', async () => {
    await using at = await opened()
    const task = "manual: { title: '${item} ${input.amount}', assignees: ['${input.who}'] }"
    const run = await at.start(planOf('items', `{ id: m, forEach: input.list, ${task} }`), {
      list: ['a', 'b'],
      amount: 1,
      who: 'ben',
    })
    await open(run, 'm[1]')
    await update(run, { amount: 2, who: 'eva' })
    const tasks = await run.tasks()
    expect(tasks.map(({ title, assignees }) => [title, assignees])).toEqual([
      ['a 2', ['eva']],
      ['b 2', ['eva']],
    ])
    for (const one of tasks) {
      expect(one.changed).toMatchObject([DORA])
      await expect(run.completeTask(done(one, 'ben'))).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
      await run.completeTask(done(one, 'eva'))
    }
    expect((await run.result()).status).toBe('COMPLETED')
  })

  it('that takes away what the title was made of leaves the people whom the plan names', async () => {
    await using at = await opened()
    const run = await at.start(planOf('gone', "{ id: m, manual: { title: '${input.what}', assignees: [ben] } }"), {
      what: 'Pay',
    })
    await open(run)
    await update(run, { what: null })
    const task = await open(run)
    expect(task).toMatchObject({ title: '${input.what}', assignees: ['ben'], changed: [DORA] })
    await run.completeTask(done(task, 'ben'))
    expect((await run.result()).status).toBe('COMPLETED')
  })

  it('through an inbox row in the store that was not asked what it had seen is judged by the input it meets [MAN-07]', async () => {
    await using at = await opened()
    const run = await at.start(planOf('inboxRow', "{ id: m, manual: { title: A, assignees: ['${input.who}'] } }"), {
      who: 'ben',
    })
    await open(run)
    await update(run, { who: 'eva' })
    const result = { kind: 'completed', output: null, artifactRefs: [], durationMs: 0, by: { actorId: 'ben' } }
    const body = JSON.stringify({ slot: 'm', attempt: 1, engineAttempt: 1, result })
    await servicesOf(at).store.insertInbox(run.row, { inboxId: 'manual:forged', kind: 'manual', body })
    await run.signal('RESUME')
    const refused = await untilFound(async () => (await run.tasks())[0]?.refused)
    expect(refused).toMatchObject([{ actorId: 'ben', code: 'AUTHZ_DENIED', why: "'m' is not assigned to ben" }])
  })
})

describe('in the terminal', () => {
  const cli = async (cwd: string, ...args: readonly string[]): Promise<string> => (await keelson(args, cwd)).stdout

  it('tasks and why name the change and who made it, and a completion that nobody has driven yet [MAN-02]', async () => {
    const cwd = folder()
    const at = await openKeelson({ directory: join(cwd, '.keelson'), steps: { pay: () => 'paid' } })
    const run = await at.start(loadPlan(PAY), { amount: 42 }, { actorId: 'carl' })
    await open(run)
    await update(run, { amount: 420_000 })
    await at.close()
    const changed = 'the input was changed by dora after the task was opened: typo'
    const tasks = await cli(cwd, 'tasks')
    expect(tasks).toContain('Pay 420000')
    expect(tasks).not.toContain('Pay 42 ')
    expect(tasks).toContain(`changed   ${changed}`)
    expect(await cli(cwd, 'why', run.runId, 'm')).toContain(`; ${changed}`)
    expect(await cli(cwd, 'why', run.runId, 'm', '--json')).toContain('"actorId":"dora"')
    expect(JSON.parse(await cli(cwd, 'tasks', '--json'))).toMatchObject({ title: 'Pay 420000', changed: [DORA] })
    const [, seen = ''] = /--seen (\w+)/.exec(await cli(cwd, 'tasks')) ?? []
    await cli(cwd, 'complete', run.runId, 'm', '--seen', seen, '--outcome', 'Succeeded', '--as', 'ben')
    const sent = 'Succeeded by ben is in the inbox; it counts once somebody drives the run'
    expect(await cli(cwd, 'tasks')).toContain(`sent      ${sent}`)
    const why = await cli(cwd, 'why', run.runId, 'm')
    expect(why).toContain('it was completed, and had waited for a person since')
    expect(why).toContain(sent)
    expect(why).not.toContain('keelson complete')
    expect(JSON.parse(await cli(cwd, 'tasks', '--json'))).toMatchObject({
      sent: { actorId: 'ben', outcome: 'Succeeded' },
    })
  })
})
