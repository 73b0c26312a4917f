/** Whether a run still moves by itself: `resume` leaves a run that does not. */
import { expect, it } from 'vitest'
import { World, planOf } from '../../../../test/fixtures/virtual-world.ts'
import { compileGraph } from '../../../core/plan/compile/graph.ts'
import { incrementalProject } from '../../../core/view/project/project-run.ts'
import { runMetaOf } from '../../../core/view/fold/run-meta.ts'
import { emptyView } from '../../../core/view/fold/run-view.ts'
import type { RunWatch } from '../progress/run-watch.ts'
import { standsStill } from './standstill.ts'

const PLAN = `policy: { retry: { maxAttempts: 1 } }
context: { list: [1, 2] }
steps:
  - { id: fan, run: work, forEach: context.list, compensate: { run: undo } }
  - { id: bad, run: bad }`

it.each([
  ['is at work', 'hold' as const],
  ['waits for its next try', (): Promise<never> => Promise.reject(new Error('not now'))],
])('a run that undoes an item does not stand still while the compensation %s', async (_name, undo) => {
  const world = new World()
  const script = { undo, bad: () => Promise.reject(new Error('no')) }
  const key = await world.process('only', { script }).start(PLAN)
  await world.runUntil(() => world.log(key, 'CompensationStarted').length === 1)
  const meta = runMetaOf(world.row(key).runId, compileGraph(planOf(PLAN).plan), 'embedded')
  const { view } = incrementalProject(emptyView(meta), world.records(key))
  expect(view.run.compensating).toBe(true)
  expect(standsStill({ view, waits: new Map() } as Pick<RunWatch, 'view' | 'waits'> as RunWatch)).toBe(false)
})
