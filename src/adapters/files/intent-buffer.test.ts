/** Intents on the local disk: written before anything acts on them, and taken up once by the next process. */
import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { loadPlan, openKeelson, type Keelson } from '../../main.ts'
import type { LeftIntents } from '../../ports/intents.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { createMemoryDisk, type MemoryDisk } from '../stores/memory/connect.ts'
import { openMemoryStore } from '../stores/memory/store.ts'
import { fileIntentBuffer } from './intent-buffer.ts'

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-intents-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function linesOf(left: readonly LeftIntents[]): Promise<string[]> {
  const lines: string[] = []
  for (const one of left) for await (const line of one.lines()) lines.push(line)
  return lines
}

describe('the file of a process', () => {
  it('holds every line in order, is for its owner alone, and goes when nothing waits any more [LAT-07]', async () => {
    const folder = join(await temporaryFolder(), 'intents')
    const buffer = fileIntentBuffer(folder, 'one')
    await Promise.all([buffer.append('1'), buffer.append('2'), buffer.append('3')])
    expect((await readFile(join(folder, 'one.jsonl'), 'utf8')).split('\n').filter((line) => line !== '')).toEqual([
      '1',
      '2',
      '3',
    ])
    expect((await stat(join(folder, 'one.jsonl'))).mode & 0o077).toBe(0)
    expect(await buffer.leftBehind()).toEqual([])
    await buffer.clear()
    expect(await readdir(folder)).toEqual([])
  })

  it('is taken up by one of those who come next, and only then removed', async () => {
    const folder = await temporaryFolder()
    await fileIntentBuffer(folder, 'dead').append('meant')
    await appendFile(join(folder, 'dead.jsonl'), '\ntor')
    const next = fileIntentBuffer(folder, 'next')
    const [mine, others] = [await next.leftBehind(), await fileIntentBuffer(folder, 'other').leftBehind()]
    expect(await linesOf(mine)).toEqual(['meant', 'tor'])
    expect(await linesOf(others)).toEqual([])
    for (const left of others) await left.remove()
    expect(await linesOf(await next.leftBehind())).toEqual(['meant', 'tor'])
    for (const left of mine) await left.remove()
    expect(await next.leftBehind()).toEqual([])
  })

  it('keeps what was dropped apart, and nobody takes it for an intent', async () => {
    const folder = await temporaryFolder()
    const buffer = fileIntentBuffer(folder, 'one')
    await buffer.setAside('dropped')
    expect(await fileIntentBuffer(folder, 'two').leftBehind()).toEqual([])
    expect(await readFile(join(folder, 'dropped.jsonl'), 'utf8')).toContain('dropped')
  })

  it('that cannot be written is told with a code, and the step waits', async () => {
    const folder = join(await temporaryFolder(), 'intents')
    await writeFile(folder, 'no folder')
    await expect(fileIntentBuffer(folder, 'one').append('1')).rejects.toMatchObject({ code: 'INTENT_BUFFER_FAILED' })
  })
})

/** A store whose server is gone from the moment a step has failed until the test brings it back. */
class Outage {
  isDown = false

  wrap(store: RunStore): RunStore {
    return new Proxy(store, {
      get: (target, name: keyof RunStore) => {
        const own = target[name]
        if (typeof own !== 'function') return own
        return async (...args: readonly unknown[]) => {
          if (this.isDown && name !== 'close') throw new KeelsonError([problem('STORE_UNAVAILABLE', 'gone')])
          const answer = await Reflect.apply(own as () => Promise<unknown>, target, args)
          if (name === 'commit' && JSON.stringify(args).includes('"StepFailed"')) this.isDown = true
          return answer
        }
      },
    })
  }
}

const PLAN = loadPlan(
  'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f, retry: { maxAttempts: 2, initialBackoffMs: 1 } }]\n',
)
const systemClock = { now: () => Date.now() }

interface Began {
  readonly disk: MemoryDisk
  readonly folder: string
}

/** Runs the plan; the second attempt, which begins while the store is gone, calls `meanwhile`. */
async function withOutage(directory: string, meanwhile: (began: Began) => Promise<void>): Promise<Keelson> {
  const outage = new Outage()
  const disk = createMemoryDisk()
  return openKeelson({
    directory,
    store: outage.wrap(openMemoryStore({ clock: systemClock, disk })),
    stateStore: { writeLatencyBudgetMs: 500, failOpenForEventClass: ['StepStarted'] },
    pollMs: 20,
    steps: {
      f: async (_input: never, { attempt }) => {
        if (attempt === 1) throw new Error('not yet')
        await meanwhile({ disk, folder: join(directory, 'intents') })
        outage.isDown = false
        return 'done'
      },
    },
  })
}

const startsOf = (records: readonly { readonly eventType: string; readonly logicalAttemptId: number }[]): number[] =>
  records.filter(({ eventType }) => eventType === 'StepStarted').map(({ logicalAttemptId }) => logicalAttemptId)

describe('a program whose store is gone while a step begins', () => {
  it('finds the intent on its own disk, and the log whole afterwards [LAT-02, LAT-07]', async () => {
    const seen: string[] = []
    const directory = await temporaryFolder()
    await using keelson = await withOutage(directory, async ({ folder, disk }) => {
      seen.push(...(await readdir(folder)))
      expect(disk.runs[0]?.events.map(({ eventType }) => eventType).at(-1)).toBe('StepFailed')
    })
    const run = await keelson.start(PLAN)
    expect(await run.result()).toMatchObject({ status: 'COMPLETED' })
    expect(seen).toEqual([expect.stringMatching(/^[\da-f-]{36}\.jsonl$/)])
    expect(startsOf(await run.records())).toEqual([1, 2])
    expect(await readdir(join(directory, 'intents'))).toEqual([])
  })

  it('and dies then, is followed by one that takes the intent up before it adopts the run [LAT-02]', async () => {
    const [directory, later] = [await temporaryFolder(), await temporaryFolder()]
    let image: MemoryDisk | undefined
    const keelson = await withOutage(directory, async ({ folder, disk }) => {
      image = structuredClone(disk)
      await cp(folder, join(later, 'intents'), { recursive: true })
    })
    const { runId } = await keelson.start(PLAN)
    await (await keelson.run(runId)).result()
    await keelson.close()
    if (image === undefined) throw new Error('nothing began during the outage')
    const calls: number[] = []
    const steps = { f: (_input: never, { engineAttempt }: { engineAttempt: number }) => calls.push(engineAttempt) }
    const store = openMemoryStore({ clock: systemClock, disk: image })
    await store.releaseLease(1, (await store.getRun(1))?.lease?.owner ?? '')
    await using next = await openKeelson({ directory: later, store, steps, pollMs: 20, adopt: true })
    expect(await readdir(join(later, 'intents'))).toEqual([])
    const run = await next.run(runId)
    expect(startsOf(await run.records())).toEqual([1, 2])
    expect(await run.result()).toMatchObject({ status: 'COMPLETED' })
    expect(calls).toEqual([2])
    expect(startsOf(await run.records())).toEqual([1, 2])
  })
})
