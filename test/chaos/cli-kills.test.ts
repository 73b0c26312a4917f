/**
 * `keelson run` and `keelson resume` as real processes on one SQLite file, killed with SIGKILL at random moments: every run
 * that was acknowledged comes to its end, no step is recorded twice, and none runs again that was completed. KEELSON_KILLS
 * sets how often (200 for the full suite), KEELSON_SEED repeats the choices of a run.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { openSqliteStore, type SqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { recordOf } from '../../src/app/log/read-events.ts'
import { verifyChain } from '../../src/app/verify/chain.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { isTerminalRun } from '../../src/core/run/state/transitions.ts'
import type { RunRow, StoredEvent } from '../../src/ports/run-store.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until } from '../e2e/command.ts'
import { Rng } from '../sim/random.ts'
import { SEED } from '../setup/seed.ts'
import { stepSlotOf } from '../../src/core/events/slot-of.ts'

const KILLS = Number(process.env['KEELSON_KILLS'] ?? 20)
const LOOK_MS = 10

const STEPS = `import { appendFileSync } from 'node:fs'
const note = (context, what) => {
  const item = context.itemIndex === undefined ? '' : '[' + context.itemIndex + ']'
  appendFileSync('effects.txt', [context.runId, context.stepId + item, context.attempt, what, Date.now()].join(' ') + '\\n')
}
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export const work = async (input, context) => {
  note(context, 'begin')
  await later(20 + Math.random() * 60)
  return { by: context.stepId }
}
export const flaky = async (input, context) => {
  note(context, 'begin')
  await later(20)
  if (context.attempt < 3) throw new Error('not yet')
  return context.attempt
}
export const refuse = async (input, context) => {
  note(context, 'begin')
  throw Object.assign(new Error('no'), { name: 'ValidationError' })
}
export const undo = async (input, context) => { await later(20) }
`
const RETRY = 'retry: { maxAttempts: 5, initialBackoffMs: 40, backoffMultiplier: 1 }'
const PLANS: Readonly<Record<string, { readonly text: string; readonly ends: RunRow['status'] }>> = {
  mixed: {
    ends: 'COMPLETED',
    text: `plan: mixed
version: 1.0.0
policy: { concurrency: 4 }
steps:
  - { id: a, run: work, dependsOn: [] }
  - { id: try, run: flaky, dependsOn: [a], ${RETRY} }
  - { id: fan, forEach: "\`[1, 2, 3, 4, 5, 6]\`", run: work, dependsOn: [a] }
  - { id: nap, wait: { forMs: 150 }, dependsOn: [a] }
  - { id: z, run: work, dependsOn: [try, fan, nap] }
`,
  },
  saga: {
    ends: 'FAILED',
    text: `plan: saga
version: 1.0.0
steps:
  - { id: book, run: work, compensate: { run: undo } }
  - { id: pay, run: work, compensate: { run: undo } }
  - { id: nap, wait: { forMs: 80 } }
  - { id: ship, run: refuse }
`,
  },
  signed: {
    ends: 'COMPLETED',
    text: `plan: signed
version: 1.0.0
steps:
  - { id: draft, run: work }
  - { id: sign, manual: { title: Sign } }
  - { id: send, run: work }
`,
  },
}

beforeAll(ensureBuilt)

/** One folder under fire: what was acknowledged, how often a process was killed, how long runs lay untaken. */
class Range {
  readonly folder: string
  readonly acknowledged = new Map<string, string>()
  readonly adoptions: number[] = []
  readonly random = new Rng(SEED)
  kills = 0

  constructor() {
    const files = Object.entries(PLANS).map(([name, { text }]) => [`${name}.yaml`, text] as const)
    this.folder = folderWith({ ...Object.fromEntries(files), 'keelson.steps.mjs': STEPS })
  }

  async store<T>(work: (store: SqliteStore) => Promise<T>): Promise<T> {
    const path = join(this.folder, '.keelson', 'keelson.db')
    const store = await openSqliteStore({ path, clock: { now: () => Date.now() }, readOnly: true })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }

  async rows(): Promise<readonly RunRow[]> {
    return this.store(async (store) => (await store.listRuns('local', {}, { limit: 500 })).runs)
  }

  /** Lets it work for a while, then kills it; a process that has ended by then was not killed. */
  async shoot(command: Command, afterMs: number): Promise<void> {
    const ended = await Promise.race([command.finished.then(() => true), pause(afterMs, false)])
    if (ended) return
    command.kill('SIGKILL')
    const { code } = await command.finished
    if (code === null) this.kills += 1
  }

  /** A run is acknowledged once its first event was told. Now and then the shot comes before that, but not before there is a database. */
  async startAndShoot(): Promise<void> {
    const name = this.random.pick(Object.keys(PLANS))
    const command = new Command(['run', `${name}.yaml`, '--json'], this.folder)
    if (this.acknowledged.size === 0 || this.random.chance(0.85))
      await until('the run is told or its process has ended', () => command.stdout.includes('\n'))
    await this.shoot(command, this.random.int(0, 500))
    const told = /"runId":"([^"]+)"/.exec(command.stdout)?.[1]
    if (told !== undefined) this.acknowledged.set(told, name)
  }

  async resumeAndShoot(): Promise<void> {
    const open = (await this.rows()).filter((row) => row.owed === true && !isTerminalRun(row.status))
    const began = performance.now()
    const command = new Command(['resume', '--json'], this.folder)
    const adopted = this.#untilAdopted(open, command).then((ms) =>
      ms === undefined ? 0 : this.adoptions.push(ms - began),
    )
    await adopted
    await this.shoot(command, this.random.int(0, 600))
  }

  /** When the first of these runs was taken over. */
  async #untilAdopted(open: readonly RunRow[], command: Command): Promise<number | undefined> {
    if (open.length === 0) return undefined
    let isOver = false
    void command.finished.then(() => (isOver = true))
    return this.store(async (store) => {
      for (;;) {
        for (const row of open) if ((await store.getRun(row.runKey))?.epoch !== row.epoch) return performance.now()
        if (isOver) return undefined
        await pause(LOOK_MS)
      }
    })
  }

  async completeOpenTasks(): Promise<void> {
    const { stdout } = await keelson(['tasks', '--json'], this.folder)
    for (const { runId, slot } of jsonLines(stdout))
      await keelson(['complete', String(runId), String(slot), '--outcome', 'Succeeded', '--as', 'maria'], this.folder)
  }
}

interface Effect {
  readonly slot: string
  readonly at: number
}

function effectsOf(folder: string, runId: string): readonly Effect[] {
  return sideLines(folder, 'effects.txt')
    .map((line) => line.split(' '))
    .filter(([run]) => run === runId)
    .map(([, slot, , , at]) => ({ slot: slot ?? '', at: Number(at) }))
}

function judge(name: string, stored: readonly StoredEvent[], effects: readonly Effect[]): void {
  expect(verifyChain(stored).broken).toBeUndefined()
  const records = stored.map((one) => {
    const record = recordOf(one)
    if (!record.ok) throw new Error(`event ${one.runSeq} cannot be read`)
    return record.value
  })
  const ends = records.filter(({ eventType }) => ['StepCompleted', 'StepFailed', 'StepSkipped'].includes(eventType))
  const attempts = ends.map((one) => `${slotOf(one)}#${one.logicalAttemptId}`)
  expect(new Set(attempts).size, `${name}: ${attempts.join(' ')}`).toBe(attempts.length)
  const completed = ends.filter(({ eventType }) => eventType === 'StepCompleted')
  expect(new Set(completed.map(slotOf)).size).toBe(completed.length)
  for (const end of completed) {
    const again = effects.filter(({ slot, at }) => slot === slotOf(end) && at > Date.parse(String(end.persistedAt)))
    expect(again, `${name}: ${slotOf(end)} ran after it was completed`).toEqual([])
  }
}

function slotOf(record: LogRecord): string {
  return stepSlotOf(record) ?? ''
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

it(
  `${KILLS} kills at random moments lose no run, record no step twice and run no completed step again [X-81]`,
  async () => {
    const range = new Range()
    while (range.kills < KILLS) {
      await range.startAndShoot()
      if (range.random.chance(0.6)) await range.resumeAndShoot()
      if (range.random.chance(0.15)) await range.completeOpenTasks()
    }
    for (let left = 1; left > 0;) {
      await keelson(['resume', '--json'], range.folder)
      await range.completeOpenTasks()
      left = (await range.rows()).filter(({ status }) => !isTerminalRun(status)).length
    }
    const rows = new Map((await range.rows()).map((row) => [row.runId, row]))
    for (const [runId, plan] of range.acknowledged)
      expect(rows.get(runId)?.status, `seed ${SEED}, ${plan} ${runId}`).toBe(PLANS[plan]?.ends)
    await range.store(async (store) => {
      for (const { runKey, runId, planId } of rows.values())
        judge(`seed ${SEED}, ${planId} ${runId}`, await store.readEvents(runKey, {}), effectsOf(range.folder, runId))
    })
    const { adoptions, kills, acknowledged } = range
    process.stdout.write(
      `kill -9: seed ${SEED}, ${kills} kills, ${acknowledged.size} runs acknowledged, ${rows.size} in all; ` +
        `taken over in p50 ${Math.round(middle(adoptions))} ms, max ${Math.round(Math.max(0, ...adoptions))} ms after resume was started\n`,
    )
    expect(acknowledged.size).toBeGreaterThan(0)
  },
  KILLS * 20_000 + 120_000,
)
