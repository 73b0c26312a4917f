/** Stories in which somebody takes part: operators, approvers, a crash, a child run, a fork, an erasure. */
import { failing, typed } from './stories.ts'
import type { Story } from './stage.ts'
import { HOLD, once, shaky, SIGNAL_STORIES, SLOW } from './signal-stories.ts'

const people: readonly Story[] = [
  {
    name: 'manual-approved',
    plan: 'steps: [{ id: m, manual: { title: Sign } }, { id: b, run: f }]',
    act: async (stage) => {
      await stage.wait(60_000)
      await stage.complete({ notes: 'looks right', evidenceRefs: ['doc-1'], result: { ok: true } })
      await stage.end()
    },
  },
  {
    name: 'manual-refused',
    plan: 'steps: [{ id: m, manual: { title: Sign }, fallback: { run: f } }, { id: b, run: f }]',
    act: async (stage) => {
      await stage.complete({ outcome: 'Failed', notes: 'the sum is wrong' })
      await stage.end()
    },
  },
  { name: 'manual-expired', plan: 'steps: [{ id: m, manual: { title: Sign, expiresAfterMs: 5000 } }]' },
  {
    name: 'queued-and-approved',
    plan: 'steps: [{ id: a, run: f }]',
    request: { admission: { policy: 'QUEUE', autoApprove: false } },
    act: async (stage) => {
      await stage.wait(1000)
      await stage.take({ kind: 'approve', approvedBy: 'olga' })
    },
  },
  {
    name: 'delayed',
    plan: 'steps: [{ id: a, run: f }]',
    request: { admission: { policy: 'DELAY', notBefore: Date.UTC(2030, 0, 1, 0, 1), autoApprove: true } },
  },
  {
    name: 'cancelled-before-it-began',
    plan: 'steps: [{ id: a, run: f }]',
    request: { admission: { policy: 'QUEUE', autoApprove: false } },
    act: async (stage) => {
      await stage.signal('CANCEL')
      await stage.take()
    },
  },
]

const CHILD = 'plan: child\nversion: 1.0.0\nsteps: [{ id: inner, run: f }]\noutput: { from: child }'
const PARENT = 'steps: [{ id: p, plan: { planId: child } }, { id: b, run: g }]'

const machines: readonly Story[] = [
  {
    name: 'crash-and-adoption',
    plan: SLOW,
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.crash({})
      await stage.end()
    },
  },
  {
    name: 'crash-of-an-irreversible-step',
    plan: 'steps: [{ id: a, run: slow, effect: irreversible }, { id: b, run: f }]',
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.crash({})
      await stage.signal('SKIP_STEP', { stepId: 'a', reason: 'it was done' })
      await stage.end()
    },
  },
  { name: 'child-run', plan: PARENT, others: [CHILD], script: { f: () => 1 } },
  {
    name: 'child-run-fails',
    plan: `policy: { ${once} }\n${PARENT}`,
    others: [CHILD.replace('run: f', `run: bad, ${once}`)],
    script: { bad: typed('ConflictError', 'in use') },
  },
  {
    name: 'child-run-cancelled-with-its-parent',
    plan: PARENT,
    others: [CHILD.replace('run: f', 'run: slow')],
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('PAUSE')
      await stage.wait(1000)
      await stage.signal('RESUME')
      await stage.wait(1000)
      await stage.signal('CANCEL')
      await stage.end()
      await stage.wait(10_000)
    },
  },
  {
    name: 'fork-of-a-failed-run',
    plan: `policy: { ${once} }\nsteps: [{ id: a, run: f }, { id: b, run: shaky }, { id: c, run: f }]`,
    script: { ...shaky(), f: () => 'kept' },
    act: async (stage) => {
      await stage.end()
      await stage.signal('RETRY_RUN')
      await stage.take()
      await stage.fork()
    },
  },
  {
    name: 'erasure',
    plan: `steps: [{ id: a, run: f, if: 'input.go' }, { id: b, run: bad, ${once} }]`,
    input: { go: true, name: 'Ada' },
    script: { f: () => 'private', bad: failing('also private') },
    act: async (stage) => {
      await stage.signal('PAUSE', { reason: 'a moment' })
      await stage.signal('RESUME')
      await stage.end()
      await stage.erase()
    },
  },
  {
    name: 'grants-under-contention',
    plan: `steps:
  - { id: a, run: f, agent: one, if: 'input.go', dependsOn: [] }
  - { id: b, run: f, dependsOn: [] }
  - { id: c, run: shaky, agent: one, resources: { gpu: 2 }, dependsOn: [b], retry: { maxAttempts: 2, initialBackoffMs: 100 } }`,
    pools: [
      { pool: 'agent:one', capacity: 1 },
      { pool: 'resource:gpu', capacity: 3 },
    ],
    input: { go: true },
    script: { ...shaky(), f: (_call, { after }) => after(300) },
    act: (stage) => stage.andAnother(),
  },
  {
    name: 'rules-upgraded',
    plan: SLOW,
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.take({ kind: 'upgrade', to: 2 })
      stage.calls('slow')[0]?.resolve()
      await stage.end()
    },
  },
]

export const ACTED: readonly Story[] = [...SIGNAL_STORIES, ...people, ...machines]
