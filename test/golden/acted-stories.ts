/** Stories in which somebody takes part: operators, approvers, a crash, a child run, a fork, an erasure. */
import type { Script } from '../fixtures/virtual-world.ts'
import { scenario, type Scenario } from '../fixtures/scenario.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { planOf } from '../fixtures/virtual-world.ts'
import { failing, typed } from './stories.ts'
import type { Story } from './stage.ts'

const HOLD: Script = { slow: 'hold' }
const SLOW = 'steps: [{ id: a, run: slow }, { id: b, run: f }]'
const once = 'retry: { maxAttempts: 1 }'
const held = `policy: { onFailure: hold, ${once} }\nsteps: [{ id: a, run: shaky, dependsOn: [] }, { id: b, run: f, dependsOn: [a] }]`
const shaky = (): Script => {
  let calls = 0
  return { shaky: () => ((calls += 1) === 1 ? Promise.reject(new Error('once')) : 'well') }
}

const signals: readonly Story[] = [
  {
    name: 'pause-and-resume-twice',
    plan: `steps: [{ id: a, run: slow }, { id: w, wait: { forMs: 1000 } }]`,
    script: HOLD,
    act: async (stage) => {
      await stage.signal('PAUSE', { reason: 'lunch' })
      await stage.wait(500)
      stage.calls('slow')[0]?.resolve(1)
      await stage.wait(500)
      await stage.signal('RESUME')
      await stage.wait(400)
      await stage.signal('PAUSE')
      await stage.wait(9000)
      await stage.signal('RESUME', { reason: 'back' })
      await stage.signal('RESUME')
      await stage.end()
    },
  },
  {
    name: 'cancel-obeyed',
    plan: SLOW,
    script: {
      slow: ({ context, reject }) => {
        context.signal.addEventListener('abort', () => reject(context.signal.reason))
        return new Promise(() => undefined)
      },
    },
    act: async (stage) => {
      await stage.signal('CANCEL', { reason: 'no longer wanted' })
      await stage.end()
    },
  },
  {
    name: 'cancel-after-grace-and-late-result',
    plan: SLOW,
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('CANCEL')
      await stage.end()
      stage.calls('slow')[0]?.resolve('too late')
      await stage.wait(100)
    },
  },
  {
    name: 'emergency-stop',
    plan: SLOW,
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('EMERGENCY_STOP', { reason: 'fire', forceKill: true })
      await stage.end()
      await stage.signal('PAUSE')
      await stage.take()
    },
  },
  {
    name: 'emergency-stop-while-undoing',
    plan: `policy: { ${once} }
steps: [{ id: a, run: f, compensate: { run: f } }, { id: b, run: f, compensate: { run: slow } }, { id: c, run: bad }]`,
    script: { ...HOLD, bad: failing('no') },
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('EMERGENCY_STOP', { reason: 'enough' })
      await stage.end()
    },
  },
  {
    name: 'hold-and-retry-step',
    plan: held,
    script: shaky(),
    act: async (stage) => {
      await stage.wait(1000)
      await stage.signal('RETRY_STEP', { stepId: 'b' })
      await stage.signal('RETRY_STEP', { stepId: 'a', freshKey: true, reason: 'fixed' })
      await stage.end()
    },
  },
  {
    name: 'hold-and-skip-step',
    plan: held,
    script: { shaky: failing('always') },
    act: async (stage) => {
      await stage.wait(1000)
      await stage.signal('SKIP_STEP', { stepId: 'a', reason: 'done by hand' })
      await stage.end()
    },
  },
  {
    name: 'hold-and-cancel',
    plan: held,
    script: { shaky: failing('always') },
    act: async (stage) => {
      await stage.wait(1000)
      await stage.signal('CANCEL')
      await stage.end()
    },
  },
  {
    name: 'parameters-and-overrides',
    plan: `steps: [{ id: a, run: slow }, { id: b, run: f, with: { n: '\${input.n}' } }, { id: c, run: f }]`,
    input: { n: 1 },
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('UPDATE_PARAMS', { params: { n: 2 }, reason: 'a mistake' })
      await stage.signal('INJECT_OVERRIDE', { stepId: 'c', override: { extra: true }, reason: 'a mistake' })
      await stage.signal('UPDATE_TARGET', { stepId: 'c', newTarget: { run: 'g' }, reason: 'a mistake' })
      stage.calls('slow')[0]?.resolve()
      await stage.end()
    },
  },
  {
    name: 'refused-signals',
    plan: SLOW,
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.signal('CANCEL', {}, false)
      await stage.signal('RETRY_STEP', { stepId: 'a' })
      await stage.signal('SKIP_STEP', { stepId: 'a' })
      await stage.signal('SKIP_STEP', { stepId: 'nobody' })
      await stage.signal('RETRY_RUN', {})
      await stage.signal('EMERGENCY_STOP', {})
      await stage.signal('ESCALATE_ALERT', { level: 'INFO' })
      await stage.signal('SKIP_STEP', { stepId: 'b' })
      stage.calls('slow')[0]?.resolve()
      await stage.end()
    },
  },
  {
    name: 'alert-escalated',
    plan: SLOW,
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.escalate('WARNING', 'nobody answers')
      await stage.escalate('P1', 'still nobody')
      stage.calls('slow')[0]?.resolve()
      await stage.end()
    },
  },
  {
    name: 'paused-by-tenant',
    plan: SLOW,
    script: HOLD,
    act: async (stage) => {
      await stage.called('slow')
      await stage.pauseScope('tenant', 700)
      stage.calls('slow')[0]?.resolve()
      await stage.end()
    },
  },
]

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

export const ACTED: readonly Story[] = [...signals, ...people, ...machines]

/** Told to the decider alone: nothing of the app writes these events yet. */
export interface CoreStory {
  readonly name: string
  readonly plan: string
  readonly tell: (run: Scenario, start: () => void) => void
}

const finding = { code: 'CAPABILITY_DEGRADED', message: 'cancel is best effort' }

export const CORE_STORIES: readonly CoreStory[] = [
  {
    name: 'validated-with-warnings',
    plan: 'steps: [{ id: a, run: f }]',
    tell: (run, start) => {
      const report = { status: 'WARNINGS', errors: [], warnings: [finding] } as const
      run.take({ kind: 'admit', policy: 'START', runInput: { n: 1 }, autoApprove: true, report })
      start()
      run.completes('a', 'done')
    },
  },
  {
    name: 'validated-with-errors',
    plan: 'steps: [{ id: a, run: f }]',
    tell: (run) => {
      const report = { status: 'ERRORS', errors: [finding], warnings: [] } as const
      run.take({ kind: 'admit', policy: 'START', runInput: {}, autoApprove: true, report })
    },
  },
  {
    name: 'handed-to-another-engine',
    plan: 'steps: [{ id: a, run: f }, { id: b, run: f }]',
    tell: (run, start) => {
      run.take({ kind: 'admit', policy: 'START', runInput: {}, autoApprove: true })
      start()
      run.epoch = 2
      const to = { toEngine: 'mock', engineRunRef: 'mock://other', maxInFlight: 5 } as const
      run.take({ kind: 'handoff', payload: { fromEngine: 'embedded', ...to } })
      run.completes('a', 1, { engineAttempt: 2 }).at('+5s').completes('b')
    },
  },
]

/** The scenario of a core story, played. */
export function playCore(story: CoreStory): Scenario {
  const { plan, sha256 } = planOf(story.plan)
  const run = scenario(compileGraph(plan))
  const planRef = {
    uri: `plan:sha256:${sha256}`,
    sha256,
    schemaVersion: plan.schemaVersion,
    planId: 'story',
    planVersion: '1.0.0',
  }
  const details = {
    engineRunRef: `embedded://${story.name}`,
    engineType: 'embedded',
    planRef,
    context: { tenantId: 'local', projectId: 'default', environmentId: 'local' },
  } as const
  story.tell(run, () => void run.take({ kind: 'start', details }))
  return run
}
