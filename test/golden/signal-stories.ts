/** Stories in which operators send signals. */
import type { Script } from '../fixtures/virtual-world.ts'
import { failing } from './stories.ts'
import type { Story } from './stage.ts'

export const HOLD: Script = { slow: 'hold' }
export const SLOW = 'steps: [{ id: a, run: slow }, { id: b, run: f }]'
export const once = 'retry: { maxAttempts: 1 }'
const held = `policy: { onFailure: hold, ${once} }\nsteps: [{ id: a, run: shaky, dependsOn: [] }, { id: b, run: f, dependsOn: [a] }]`
export const shaky = (): Script => {
  let calls = 0
  return { shaky: () => ((calls += 1) === 1 ? Promise.reject(new Error('once')) : 'well') }
}

export const SIGNAL_STORIES: readonly Story[] = [
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
