/** States that hardly anybody meets, through the library: each is told by its code, and what is right happens then. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { playEntry } from '../../src/app/conformance/play-entry.ts'
import { PLAYING } from '../../src/compose/conformance-engines.ts'
import { loadPlan, openKeelson, type Keelson } from '../../src/main.ts'
import { engineOf, entryOf } from '../conformance/played.ts'
import { testFolder } from '../fixtures/folder.ts'
import { refusal } from '../fixtures/refusal.ts'
import { until } from './command.ts'

const realNow = Date.now
afterEach(() => {
  Date.now = realNow
})

const CHILD = 'plan: child\nversion: 1.0.0\nsteps: [{ id: hold, run: hold, compensate: { run: free } }]\n'
const PARENT = `plan: parent
version: 1.0.0
policy: { retry: { maxAttempts: 1 } }
steps: [{ id: call, plan: { planId: child }, effect: compensatable }, { id: gate, run: gate }]
`

interface Family {
  readonly keelson: Keelson
  readonly directory: string
  readonly runId: string
  readonly childId: string
  readonly calls: string[]
  readonly lines: string[]
  /** The gate fails, so that the finished child must be undone. */
  fails(): void
}

/** A parent at its gate; its child has finished. */
async function family(): Promise<Family> {
  const directory = testFolder()
  const gate = Promise.withResolvers<never>()
  const [calls, lines]: [string[], string[]] = [[], []]
  const note = (name: string) => (): void => void calls.push(name)
  const steps = { hold: note('hold'), free: note('free'), gate: () => (note('gate')(), gate.promise) }
  const log = (line: string): void => void lines.push(line)
  const keelson = await openKeelson({ directory, pollMs: 20, steps, log })
  await keelson.publish(loadPlan(CHILD))
  const { runId } = await keelson.start(loadPlan(PARENT))
  await until('the parent is at its gate', () => calls.includes('gate'))
  let childId = ''
  for await (const row of keelson.runs()) if (row.runId !== runId) childId = row.runId
  return { keelson, directory, runId, childId, calls, lines, fails: () => gate.reject(new Error('closed')) }
}

const compensations = async ({ keelson, runId }: Family): Promise<readonly unknown[]> =>
  (await (await keelson.run(runId)).records()).flatMap(({ eventType, payload }) =>
    eventType.startsWith('Compensation')
      ? [[eventType, (payload?.['error'] as { code?: string } | undefined)?.code]]
      : [],
  )

describe('the child of a run that must be undone', () => {
  it('and was erased meanwhile: its compensation fails with CHILD_NOT_UNDONE', async () => {
    const one = await family()
    await one.keelson.maintenance.erase((await one.keelson.run(one.childId)).row, { reason: 'request 4711' })
    one.fails()
    await expect((await one.keelson.run(one.runId)).result()).resolves.toMatchObject({ status: 'FAILED' })
    expect(await compensations(one)).toEqual([
      ['CompensationStarted', undefined],
      ['CompensationFailed', 'CHILD_NOT_UNDONE'],
    ])
    expect(one.calls).toEqual(['hold', 'gate'])
    await one.keelson.close()
  })

  it('and has not ended by its row: CHILD_STILL_RUNNING is told, and it is undone when it has', async () => {
    const one = await family()
    const database = new DatabaseSync(join(one.directory, 'keelson.db'))
    const becomes = (status: string): void =>
      void database.prepare('UPDATE runs SET status = ? WHERE run_id = ?').run(status, one.childId)
    becomes('RUNNING')
    one.fails()
    const told = `CHILD_STILL_RUNNING: child run ${one.childId} has not ended yet`
    await until('it is told', () => one.lines.some((line) => line.includes(told)))
    expect(one.calls).toEqual(['hold', 'gate'])
    becomes('COMPLETED')
    database.close()
    await expect((await one.keelson.run(one.runId)).result()).resolves.toMatchObject({ status: 'FAILED' })
    expect(await compensations(one)).toEqual([
      ['CompensationStarted', undefined],
      ['CompensationCompleted', undefined],
    ])
    expect(one.calls).toEqual(['hold', 'gate', 'free'])
    await one.keelson.close()
  })
})

it('a task whose rule a newer version brought is not completed by one that does not know it: TASK_RULE_UNKNOWN', async () => {
  const directory = testFolder()
  await using first = await openKeelson({ directory, pollMs: 20 })
  await first.publish(
    loadPlan('plan: m\nversion: 1.0.0\nsteps: [{ id: a, manual: { title: Release it, rule: MakerChecker } }]\n'),
  )
  publishedByNewer(join(directory, 'keelson.db'), 'MakerChecker', 'ThreeEyes')
  const run = await first.start({ planId: 'm' }, {}, { actorId: 'ana' })
  const [task] = await until('the task is open', async () => {
    const tasks = await run.tasks()
    return tasks.length > 0 && tasks
  })
  const completion = { completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'bo' } as const
  const refused = await refusal(run.completeTask(completion))
  expect([refused.code, refused.message]).toEqual([
    'TASK_RULE_UNKNOWN',
    "TASK_RULE_UNKNOWN: the rule 'ThreeEyes' of 'a' is not known here",
  ])
  expect(await run.tasks()).toHaveLength(1)
  expect((await first.run(run.runId)).row.status).toBe('RUNNING')
})

/** As if a version that knows more had published the plan: its bytes have their hash. */
function publishedByNewer(path: string, known: string, unknown: string): void {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA foreign_keys = OFF')
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all())
    database.exec(`DROP TRIGGER "${String(name)}"`)
  const text = String(database.prepare('SELECT text FROM plans').get()?.['text']).replace(known, unknown)
  const sha256 = createHash('sha256').update(text).digest('hex')
  database.prepare('UPDATE plans SET text = ?, sha256 = ?').run(text, sha256)
  database.prepare('UPDATE plan_publications SET sha256 = ?').run(sha256)
  database.close()
}

it('a clock that is set while nobody listens is a warning, CLOCK_JUMPED, with both times', async () => {
  const warned = Promise.withResolvers<Error & { readonly code?: string }>()
  const hear = (warning: Error): void => warned.resolve(warning)
  process.on('warning', hear)
  const end = Promise.withResolvers<void>()
  await using keelson = await openKeelson({ directory: testFolder(), pollMs: 50, steps: { slow: () => end.promise } })
  const run = await keelson.start(loadPlan('plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: slow }]\n'))
  Date.now = () => realNow() + 3_600_000
  const { code, message } = await warned.promise
  process.off('warning', hear)
  expect(code).toBe('CLOCK_JUMPED')
  expect(message).toMatch(/^the clock was set forward by 3600 s, from \d{4}-\S+Z to \d{4}-\S+Z; /)
  end.resolve()
  await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
})

it('an entry of a corpus that waits for something that never comes is ENTRY_STUCK, and says for what', async () => {
  const entry = entryOf(`plan: { plan: held, version: 1.0.0, steps: [{ id: a, manual: { title: Release it } }] }\n`)
  const engine = await engineOf('embedded')
  const stuck = await refusal(playEntry(engine, entry, { ...PLAYING, patienceMs: 500 }))
  expect([stuck.code, stuck.message]).toEqual(['ENTRY_STUCK', "ENTRY_STUCK: 'entry' did not end: held is RUNNING"])
  await engine.close()
})
