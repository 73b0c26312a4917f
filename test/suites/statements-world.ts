/**
 * A store with n of everything that grows: steps, items, children, tasks, waits for events, variables, runs, labels; and every operation of the
 * library and the command line on it, by name.
 */
import type { FeedHandler } from '../../src/library/tell/subscription.ts'
import { loadPlan, type Keelson, type RunHandle } from '../../src/main.ts'

const each = <T>(n: number, make: (at: number) => T): readonly T[] => Array.from({ length: n }, (_, at) => make(at))

function planText(name: string, steps: readonly string[], more = ''): string {
  const lines = steps.map((step) => `  - { ${step} }`).join('\n')
  return `plan: ${name}\nversion: 1.0.0\n${more}policy: { concurrency: 100 }\nsteps:\n${lines}\n`
}

const LOOSE = 'dependsOn: []'
const CHILD = planText('child', ['id: inner, run: f, with: { n: "${input.n}" }'])
const ASKS = planText('asks', ['id: ask, manual: { title: "For ${input.who}" }'], 'labels: { who: "${input.who}" }\n')
const QUIET = planText('quiet', ['id: rest, wait: { forMs: 86400000 }'])

/** Each plan has n of something; the slot is the last of them. */
const SUBJECTS: Readonly<Record<string, (n: number) => { readonly plan: string; readonly slot: string }>> = {
  steps: (n) => ({
    plan: planText(
      'steps',
      each(n, (at) => `id: s${at}, run: f, with: { n: "\${input.n}" }, capture: [{ destination: v${at} }], ${LOOSE}`),
    ),
    slot: `s${n - 1}`,
  }),
  items: () => ({
    plan: planText('items', [
      'id: pack, run: f, forEach: input.list, with: { n: "${item}" }',
      'id: after, run: f, with: { all: "${steps.pack.output}" }',
    ]),
    slot: 'pack[1]',
  }),
  children: (n) => ({
    plan: planText(
      'children',
      each(n, (at) => `id: c${at}, plan: { planId: child }, with: { n: ${at} }, ${LOOSE}`),
    ),
    slot: `c${n - 1}`,
  }),
  tasks: (n) => ({
    plan: planText(
      'tasks',
      each(n, (at) => `id: t${at}, manual: { title: "Say \${input.n} ${at}" }, ${LOOSE}`),
    ),
    slot: `t${n - 1}`,
  }),
  waits: (n) => ({
    plan: planText(
      'waits',
      each(n, (at) => `id: w${at}, wait: { forEvent: e${at}, key: "\${input.n}" }, ${LOOSE}`),
    ),
    slot: `w${n - 1}`,
  }),
}
const OPEN: ReadonlySet<string> = new Set(['tasks', 'waits'])

export const STEPS = { f: async (input: unknown): Promise<unknown> => ({ ...(input as object), made: 'x' }) }

export interface Subject {
  readonly name: string
  readonly runId: string
  readonly slot: string
  readonly isOpen: boolean
}

/** Starts all of it, and hands the driving of each subject to whoever counts. */
export async function fill(
  keelson: Keelson,
  n: number,
  count: (name: string, work: () => Promise<unknown>) => Promise<void>,
): Promise<readonly Subject[]> {
  await keelson.publish(loadPlan(CHILD))
  const subjects: Subject[] = []
  for (const [name, made] of Object.entries(SUBJECTS)) {
    const { plan, slot } = made(n)
    const input = { n: 7, list: each(n, (at) => at) }
    const isOpen = OPEN.has(name)
    await count(`${name}: drive`, async () => {
      const run = (await keelson.start(loadPlan(plan), input as never)) as RunHandle
      if (!isOpen) await run.result()
      subjects.push({ name, runId: run.runId, slot, isOpen })
    })
  }
  for (const who of each(n, (at) => `w${at}`)) await keelson.start(loadPlan(ASKS), { who } as never)
  for (let at = 0; at < n; at += 1) await keelson.start(loadPlan(QUIET), {} as never)
  return subjects
}

type Operations = Readonly<Record<string, () => Promise<unknown>>>

const ACTOR = { userId: 'ops', tenantId: 'local', roles: ['Admin'] } as const

async function all(source: AsyncIterable<unknown>): Promise<void> {
  for await (const one of source) void one
}

/** All that is asked of one run. Those that change it come last. */
export function operationsOn(keelson: Keelson, run: RunHandle, { slot, isOpen }: Subject): Operations {
  const { row, runId } = run
  const looking: Operations = {
    snapshot: () => run.snapshot(),
    'snapshot at': () => run.snapshot(4),
    records: () => run.records(),
    tasks: () => run.tasks(),
    artifacts: () => run.artifacts(),
    stepOutput: () => run.stepOutput(slot.replace(/\[.*/, '')),
    stepDetail: () => run.stepDetail(slot),
    'stepDetail of all items': () => run.stepDetail(slot.replace(/\[.*/, '')),
    context: () => run.context(),
    why: () => run.why(slot),
    'why at': () => run.why(slot, 4),
    related: () => run.related(),
    bounds: () => run.bounds(),
    trouble: () => run.trouble(),
    damage: () => run.damage(),
    verify: () => keelson.maintenance.verify(row),
    bundle: () => all(keelson.maintenance.bundle(row)),
    getRunStatus: () => keelson.as(ACTOR as never).getRunStatus(runId as never),
    getEnrichedStatus: () => keelson.as(ACTOR as never).getEnrichedStatus(runId as never),
  }
  if (!isOpen)
    return {
      ...looking,
      result: () => run.result(),
      events: () => all(run.events()),
      previewFork: () => keelson.previewFork(runId),
      'previewFork from': () => keelson.previewFork(runId, { from: slot.replace(/\[.*/, '') }),
      fork: async () => (await keelson.fork(runId)).result(),
    }
  return {
    ...looking,
    adopt: async () => {
      await keelson.adopt(runId)
      await run.pause('once adopted')
    },
    resume: () => run.resume('go on'),
    cancel: () => run.cancel('enough'),
  }
}

/** What is asked of all runs. */
export function operationsOnAll(keelson: Keelson): Operations {
  const refusing: FeedHandler = ({ record }) => {
    if (record.planId === 'quiet' && record.eventType === 'RunStarted') throw new Error('not now')
  }
  const options = { maxAttempts: 1, pollMs: 3_600_000, onProblem: () => undefined }
  const feed = keelson.subscribe('counted', refusing, options)
  return {
    'subscription: drain': () => feed.drain(),
    'subscription: status': () => feed.status(),
    'subscription: deadLetters': () => feed.deadLetters(),
    'subscription: redeliver': () => feed.redeliver(),
    'subscription: stop': () => feed.stop(),
    list: () => keelson.list({}, { limit: 500 }),
    'list by label': () => keelson.list({ labels: { who: 'w1' } }),
    'list by status': () => keelson.list({ status: ['RUNNING'] }, { limit: 500 }),
    runs: () => all(keelson.runs()),
    'tasks of plans that ask nobody': () => all(keelson.tasks({ planId: 'quiet' })),
    tasks: () => all(keelson.tasks()),
    verifyStore: () => keelson.maintenance.verifyStore(),
    archivable: () => keelson.maintenance.archivable(1),
    published: () => keelson.published({ planId: 'child' }),
    send: () => keelson.send({ name: 'nobody.waits', key: '7', data: {}, id: 'sent-once' } as never),
  }
}

/** Looking commands, by what they are about. */
export function commandsOn(subjects: readonly Subject[]): Readonly<Record<string, readonly string[]>> {
  const of = (name: string): string => subjects.find((one) => one.name === name)?.runId ?? name
  const shown = ['steps', 'items', 'children', 'tasks', 'waits'].map(
    (name) => [`show ${name}`, ['show', of(name)]] as const,
  )
  return {
    runs: ['runs', '--limit', '500'],
    'runs --all': ['runs', '--all', '--json'],
    'runs --counts': ['runs', '--counts'],
    'runs --label': ['runs', '--label', 'who=w1'],
    ps: ['ps'],
    ...Object.fromEntries(shown),
    'show item': ['show', of('items'), 'pack[1]'],
    'show by the first characters': ['show', of('items').slice(0, 12)],
    why: ['why', of('tasks')],
    'why step': ['why', of('waits'), 'w1'],
    events: ['events', of('items')],
    tasks: ['tasks', of('tasks')],
    verify: ['verify', of('items')],
    fork: ['fork', of('steps'), '--dry-run'],
  }
}
