/** What the mixed load is made of. Each starts one run, does with it what people do, and ends with it as it should. */
import { loadPlan, type Keelson } from '../../../src/main.ts'

type Load = (keelson: Keelson) => () => Promise<void>

const WAIT_MS = 200
let calls = 0

export const STEPS = {
  work: async () => ({ done: true }),
  /** Every third call fails: the retries of the plan make up for it. */
  flaky: async () => {
    calls += 1
    if (calls % 3 === 0) throw new Error('not this time')
    return { done: true }
  },
}

function planOf(name: string, steps: readonly object[]) {
  return loadPlan(JSON.stringify({ plan: name, version: '1.0.0', steps }))
}

const chain = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `s${at}`,
    run: 'work',
    ...(at === 0 ? {} : { dependsOn: [`s${at - 1}`] }),
  }))

async function ends(status: string, run: { result(): Promise<{ readonly status: string }> }): Promise<void> {
  const result = await run.result()
  if (result.status !== status) throw new Error(`a run that should have ended ${status} ended ${result.status}`)
}

function completed(name: string, steps: readonly object[], input: object = {}): Load {
  const plan = planOf(name, steps)
  return (keelson) => async () => ends('COMPLETED', await keelson.start(plan, input as never))
}

const wait = { id: 'wait', wait: { forMs: WAIT_MS } }

const paused: Load = (keelson) => {
  const plan = planOf('paused', [...chain(2), { ...wait, dependsOn: ['s1'] }])
  return async () => {
    const run = await keelson.start(plan)
    await run.pause('the soak')
    await run.resume('the soak')
    await ends('COMPLETED', run)
  }
}

const cancelled: Load = (keelson) => {
  const plan = planOf('cancelled', [{ id: 'wait', wait: { forMs: 3_600_000 } }])
  return async () => {
    const run = await keelson.start(plan)
    await run.cancel('the soak')
    await ends('CANCELLED', run)
  }
}

/** The one that is measured. */
export const LONE = completed('one', chain(1))

export const OTHERS: readonly Load[] = [
  completed('ten', chain(10)),
  completed('fan', [{ id: 'all', run: 'work', forEach: 'input.list', with: { n: '${item}' } }], {
    list: Array.from({ length: 25 }, (_, at) => at),
  }),
  completed('flaky', [{ id: 'a', run: 'flaky', retry: { maxAttempts: 5, initialBackoffMs: 10 } }]),
  completed('waits', [wait]),
  paused,
  cancelled,
]
