/**
 * Plans whose functions are those of a worker in Python, which is killed at random again and again: their logs are those of the same
 * plans with functions here. Nothing is lost, and nothing is recorded twice.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { canonicalRuns, projection } from '../../src/core/conformance/canonical-log.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { loadPlan } from '../../src/library/plans/load-plan.ts'
import type { StepFunctions } from '../../src/main.ts'
import { startChild } from '../fixtures/child.ts'
import { testFolder } from '../fixtures/folder.ts'
import { SEED } from '../setup/seed.ts'
import { Rng } from '../sim/random.ts'
import { WORKER } from './a-worker.ts'
import { served, type Served } from './served.ts'

const FAR = ', dispatch: { queue: far }'
const RETRY = ', retry: { maxAttempts: 3, initialBackoff: 10ms }'

const PLANS: Readonly<Record<string, (far: string) => string>> = {
  diamond: (far) => `
    - { id: a, run: double, with: { n: 1 }, dependsOn: []${far} }
    - { id: b, run: double, with: { n: "\${steps.a.output.n}" }, dependsOn: [a]${far} }
    - { id: c, run: flaky, with: { n: "\${steps.a.output.n}" }, dependsOn: [a]${RETRY}${far} }
    - { id: d, run: add, with: { parts: ["\${steps.b.output}", "\${steps.c.output}"] }, dependsOn: [b, c]${far} }`,
  items: (far) => `
    - { id: each, forEach: "input.items", run: double, with: { n: "\${item}" }, dependsOn: []${far} }
    - { id: all, run: add, with: { parts: "\${steps.each.output}" }, dependsOn: [each]${far} }`,
  saga: (far) => `
    - { id: first, run: double, with: { n: 1 }, compensate: { run: undo }, dependsOn: []${far} }
    - { id: second, run: double, with: { n: 2 }, compensate: { run: undo }, dependsOn: [first]${far} }
    - { id: third, run: refuse, with: { n: 3 }, retry: { maxAttempts: 2, initialBackoff: 5ms }, dependsOn: [second]${far} }`,
  instead: (far) => `
    - { id: try, run: refuse, with: { n: 3 }, retry: { maxAttempts: 1 }, fallback: { run: double, with: { n: 4 } }${far} }`,
}
const INPUT = { items: [1, 2, 3, 4, 5] }
const ROUNDS = 3
const KILLS = 12
const WORKERS = 3

interface Given {
  readonly n: number
  readonly parts: readonly { readonly n: number }[]
}

/** The same functions as in far_functions.py. */
const HERE: StepFunctions = {
  double: ({ n }: Given) => ({ n: n * 2 }),
  add: ({ parts }: Given) => ({ n: parts.reduce((sum, part) => sum + part.n, 0) }),
  flaky: ({ n }: Given, { attempt }: { readonly attempt: number }) => {
    if (attempt === 1) throw Object.assign(new Error('not yet'), { name: 'ConnectionError' })
    return { n: n + 1 }
  },
  refuse: ({ n }: Given) => {
    throw Object.assign(new Error(`${n} is refused`), { name: 'ValueError' })
  },
  undo: () => 'undone',
}

const planText = (name: string, far: string): string =>
  `plan: ${name}\nversion: 1.0.0\nsteps:${PLANS[name]?.(far) ?? ''}\n`

let server: Served | undefined
afterEach(async () => server?.[Symbol.asyncDispose]())

/** What two logs must have in common: every event of every slot, and the order that the plan demands. */
function canonical(text: string, runId: string, records: readonly LogRecord[]): unknown {
  // Whoever was slower than their lease reports all the same, and late: no such report is an outcome.
  const timely = records.filter(({ eventType }) => eventType !== 'LateOutcomeRecorded')
  const [run] = projection(
    canonicalRuns([{ runId, plan: loadPlan(text).plan, records: timely }], []),
  ) as readonly object[]
  // The plans differ by their queue, and so by their hash; and a killed worker may have done what another did again.
  const told = JSON.stringify(run)
    .replaceAll(/[0-9a-f]{64}/g, '<hash>')
    .replaceAll(',"mayHaveRunTwice":true', '')
  return JSON.parse(told) as unknown
}

/** The log of the plan with functions here, made by another server in the same way. */
async function inline(name: string): Promise<unknown> {
  await using opened = await served({ steps: HERE })
  await opened.publish(planText(name, ''))
  const runId = await started(opened, name)
  await expect.poll(() => allEnded(opened)).toBe(true)
  return canonical(planText(name, ''), runId, await recordsOf(opened, runId))
}

async function started({ call }: Served, planId: string): Promise<string> {
  return (await call('POST /v1/executions', { body: { planId, input: INPUT } })).body.executionId as string
}

async function recordsOf({ call }: Served, runId: string): Promise<readonly LogRecord[]> {
  return (await call(`GET /v1/executions/${runId}/events?limit=1000`)).body.events as readonly LogRecord[]
}

async function allEnded({ call }: Served): Promise<boolean> {
  const { body } = await call('GET /v1/executions?limit=1000')
  const statuses = (body.executions as readonly { readonly status: string }[]).map(({ status }) => status)
  return statuses.length > 0 && statuses.every((status) => status === 'COMPLETED' || status === 'FAILED')
}

it('a worker killed at any point loses nothing and records nothing twice: the log is that of functions here [ATT-03, X-66]', async () => {
  const random = new Rng(SEED)
  const folder = testFolder()
  const opened = await served({ directory: folder })
  server = opened
  const notes = join(folder, 'calls.txt')
  const start = (): ReturnType<typeof startChild> =>
    startChild('python3', [
      join(ROOT, 'test/fixtures/far_functions.py'),
      join(ROOT, 'examples/python-worker'),
      opened.url,
      WORKER,
      notes,
    ])
  const workers = Array.from({ length: WORKERS }, start)
  const runs: { readonly name: string; readonly runId: string }[] = []
  for (const name of Object.keys(PLANS)) {
    await opened.publish(planText(name, FAR))
    for (let round = 0; round < ROUNDS; round += 1) {
      runs.push({ name, runId: await started(opened, name) })
    }
  }
  let kills = 0
  const called = (): number => readFileSync(notes, { encoding: 'utf8', flag: 'a+' }).split('\n').length
  while (kills < KILLS && !(await allEnded(opened))) {
    const before = called()
    // Somewhere within the next few calls.
    await expect.poll(async () => called() >= before + random.int(0, 3) || allEnded(opened)).toBe(true)
    const victim = random.int(0, WORKERS - 1)
    workers[victim]?.kill('SIGKILL')
    workers[victim] = start()
    kills += 1
  }
  await expect.poll(() => allEnded(opened), { interval: 200 }).toBe(true)
  for (const worker of workers) worker.kill('SIGKILL')
  expect(kills, `seed ${SEED}`).toBeGreaterThan(3)
  expect(keysPerStep(notes), `seed ${SEED}`).toEqual(new Set([1]))
  for (const { name, runId } of runs) {
    expect(canonical(planText(name, FAR), runId, await recordsOf(opened, runId)), `${name}, seed ${SEED}`).toEqual(
      await inline(name),
    )
  }
}, 180_000)

/** However often a step was begun, it was begun under one key. */
function keysPerStep(notes: string): ReadonlySet<number> {
  const keys = new Map<string, Set<string>>()
  for (const line of readFileSync(notes, 'utf8').trim().split('\n')) {
    const [runId = '', slot = '', , key = ''] = line.split(' ')
    keys.set(`${runId} ${slot}`, (keys.get(`${runId} ${slot}`) ?? new Set()).add(key))
  }
  return new Set([...keys.values()].map(({ size }) => size))
}
