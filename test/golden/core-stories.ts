/** Stories that are told to the decider alone: nothing of the app writes these events yet. */
import { scenario, type Scenario } from '../fixtures/scenario.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { planOf } from '../fixtures/virtual-world.ts'

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
