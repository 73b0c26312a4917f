/** Two batches on their way to a store at once: no run is in both, each has its own fate, and the order of a run's commits stays. */
import { describe, expect, it } from 'vitest'
import { CommitQueue } from '../../src/app/commit/queue.ts'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import type { CommitResult, NewRun, RunCommit, RunStore } from '../../src/ports/run-store.ts'
import { newRun, summary } from '../../src/testing/store/run-fixtures.ts'

interface OnItsWay {
  readonly names: readonly string[]
  answer(): void
  lose(): void
}

type Alarm = { readonly afterMs: number; readonly ring: () => void }

/** A store whose answers the test gives, and time that the test moves. */
function stage(commitsAtOnce?: number, budgetMs = 3_000) {
  const batches: OnItsWay[] = []
  const alarms = new Set<Alarm>()
  const told: string[] = []
  const names = new Map<RunCommit, string>()
  const store = {
    ...(commitsAtOnce === undefined ? {} : { commitsAtOnce }),
    commit: (batch: readonly RunCommit[]) =>
      new Promise<readonly CommitResult[]>((resolve, reject) => {
        const own = batch.map((one) => names.get(one) ?? '?')
        batches.push({
          names: own,
          answer: () => resolve(own.map((_, at) => ({ kind: 'committed', runKey: at + 1, persistedAt: 7 }))),
          lose: () => reject(new KeelsonError([problem('STORE_UNAVAILABLE', 'the answer was lost')])),
        })
      }),
  }
  const timers = {
    after: (afterMs: number, ring: () => void) => {
      const alarm = { afterMs, ring }
      alarms.add(alarm)
      return () => void alarms.delete(alarm)
    },
    defer: (callback: () => void) => void setImmediate(callback),
  }
  const queue = new CommitQueue(store as unknown as RunStore, timers, budgetMs)
  const submit = (name: string, part: Partial<RunCommit>): void => {
    const commit = { expected: { epoch: 1, nextSeq: 1 }, events: [], summary: summary(), ...part }
    names.set(commit, name)
    void queue.submit(commit).then(
      ({ kind }) => told.push(`${name} ${kind}`),
      (thrown: unknown) => told.push(`${name} ${thrown instanceof KeelsonError ? thrown.code : String(thrown)}`),
    )
  }
  const quiet = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    told,
    alarms,
    submit,
    quiet,
    left: () => batches.map((one) => one.names),
    batch: (at: number): OnItsWay => batches[at] ?? expect.fail(`batch ${at} has not left`),
  }
}

const telling = (runId: string): Pick<RunCommit, 'notify'> => ({
  notify: [{ run: { tenantId: 'acme', runId }, row: { inboxId: 'child:x', kind: 'child', body: '{}' } }],
})
const making = (changes: Partial<NewRun> & Pick<NewRun, 'runId'>): Pick<RunCommit, 'create'> => ({
  create: newRun({ tenantId: 'acme', ...changes }),
})

describe('a store that takes two batches', () => {
  it('gets the second while the first is on its way, and the third when one of them is answered', async () => {
    const { submit, quiet, left, batch, told } = stage(2)
    for (const runKey of [1, 2, 3, 4]) {
      submit(`r${runKey}`, { runKey })
      await quiet()
    }
    expect(left()).toEqual([['r1'], ['r2']])
    batch(1).answer()
    await quiet()
    expect(left()).toEqual([['r1'], ['r2'], ['r3', 'r4']])
    expect(told).toEqual(['r2 committed'])
  })

  it('never has a run in both: its next commit waits for the answer, in its order, and others pass it [P-06]', async () => {
    const { submit, quiet, left, batch, told } = stage(2)
    submit('a1', { runKey: 1 })
    await quiet()
    for (const [name, runKey] of Object.entries({ a2: 1, b1: 2, a3: 1 })) submit(name, { runKey })
    await quiet()
    expect(left()).toEqual([['a1'], ['b1']])
    batch(1).answer()
    await quiet()
    expect(left()).toHaveLength(2)
    batch(0).answer()
    await quiet()
    expect(left()).toEqual([['a1'], ['b1'], ['a2', 'a3']])
    expect(told).toEqual(['b1 committed', 'a1 committed'])
  })

  it('has no two batches that tell the same run something, and nothing overtakes what waits for that [P-06, P-29]', async () => {
    const { submit, quiet, left, batch } = stage(2)
    submit('child1', { runKey: 1, ...telling('parent') })
    await quiet()
    submit('child2', { runKey: 2, ...telling('parent') })
    submit('child2 later', { runKey: 2 })
    submit('other', { runKey: 3, ...telling('another') })
    await quiet()
    expect(left()).toEqual([['child1'], ['other']])
    batch(0).answer()
    await quiet()
    expect(left()).toEqual([['child1'], ['other'], ['child2', 'child2 later']])
  })

  it.each([
    ['id', { runId: 'same', requestKey: 'r1' }, { runId: 'same', requestKey: 'r2' }],
    ['request', { runId: 'one', requestKey: 'r' }, { runId: 'two', requestKey: 'r' }],
  ])('makes no two runs of one %s at once', async (_, first, second) => {
    const { submit, quiet, left, batch } = stage(2)
    submit('first', making(first))
    await quiet()
    submit('second', making(second))
    submit('of another tenant', making({ ...second, tenantId: 'beta' }))
    await quiet()
    expect(left()).toEqual([['first'], ['of another tenant']])
    batch(0).answer()
    await quiet()
    expect(left()[2]).toEqual(['second'])
  })
})

describe('a batch whose answer is lost', () => {
  it('is told to its own runs alone; the other batch is answered as it was written [P-10]', async () => {
    const { submit, quiet, batch, told } = stage(2)
    submit('a', { runKey: 1 })
    await quiet()
    submit('b', { runKey: 2 })
    await quiet()
    batch(0).lose()
    await quiet()
    expect(told).toEqual(['a STORE_UNAVAILABLE'])
    batch(1).answer()
    await quiet()
    expect(told).toEqual(['a STORE_UNAVAILABLE', 'b committed'])
  })

  it('because of its time limit sets its runs free, and the late answer changes nothing [P-10]', async () => {
    const { submit, quiet, batch, told, alarms, left } = stage(2)
    submit('a', { runKey: 1 })
    await quiet()
    submit('b', { runKey: 2 })
    submit('a again', { runKey: 1 })
    await quiet()
    expect([...alarms].map(({ afterMs }) => afterMs)).toEqual([3_000, 3_000])
    ;[...alarms][0]?.ring()
    await quiet()
    expect(told).toEqual(['a STORE_WRITE_TIMEOUT'])
    expect(left()).toEqual([['a'], ['b'], ['a again']])
    batch(0).answer()
    await quiet()
    expect(told).toEqual(['a STORE_WRITE_TIMEOUT'])
    batch(2).answer()
    batch(1).lose()
    await quiet()
    expect(told).toEqual(['a STORE_WRITE_TIMEOUT', 'a again committed', 'b STORE_UNAVAILABLE'])
  })
})

it.each([undefined, 1])('a store that says %s gets one batch after another', async (commitsAtOnce) => {
  const { submit, quiet, left, batch } = stage(commitsAtOnce)
  submit('a', { runKey: 1 })
  await quiet()
  submit('b', { runKey: 2 })
  submit('b later', { runKey: 2 })
  await quiet()
  expect(left()).toEqual([['a']])
  batch(0).answer()
  await quiet()
  expect(left()).toEqual([['a'], ['b', 'b later']])
})

it('a batch ends before 4,000 events, and what is left goes at once with the second batch', async () => {
  const { submit, quiet, left } = stage(2)
  const events = Array.from({ length: 2_500 }) as unknown as RunCommit['events']
  submit('a', { runKey: 1, events })
  submit('b', { runKey: 2, events })
  submit('b adopted', { runKey: 2 })
  await quiet()
  expect(left()).toEqual([['a'], ['b', 'b adopted']])
})
