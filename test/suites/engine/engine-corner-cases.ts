/** Cases about corners that engines get wrong: ends that wait, doubt, expiry, delays, failing children, compensations and items, forks. */
import assert from 'node:assert/strict'
import { endsAs, eventsOf, inOrder, type EngineCase } from './engine-suite.ts'

const DELAY_MS = 400

const ENDING: readonly EngineCase[] = [
  {
    title: 'a paused run does not end: what would end it waits until it is resumed',
    run: async (world) => {
      const run = await world.start('{ plan: last, version: 1.0.0, steps: [{ id: a, run: held }] }')
      await world.stage.atWork(run.runId, 'a')
      await run.signal('PAUSE')
      await world.logged(run, 'RunPaused')
      world.stage.release(run.runId)
      await world.logged(run, 'StepCompleted a#1')
      assert.equal((await run.snapshot()).status, 'PAUSED')
      await run.signal('RESUME')
      await endsAs(run, 'COMPLETED')
      inOrder(await eventsOf(run), 'StepCompleted a#1', 'RunResumed', 'RunCompleted')
    },
  },
  {
    title: 'an irreversible step that took too long may have happened: it is not repeated, and its run is held',
    run: async (world) => {
      const run = await world.start(`
plan: in-doubt
version: 1.0.0
steps: [{ id: a, run: held, effect: irreversible, timeoutMs: 200, retry: { maxAttempts: 3, initialBackoffMs: 5 } }, { id: b, run: echo }]
`)
      await world.logged(run, 'StepFailed a#1')
      const { status, steps } = await run.snapshot()
      assert.deepEqual([status, steps[0]?.error?.code], ['RUNNING', 'INDETERMINATE'])
      await run.signal('SKIP_STEP', { stepId: 'a', reason: 'it had happened' })
      await endsAs(run, 'COMPLETED')
      assert.deepEqual(world.stage.calls(run.runId), ['a#1', 'b#1'])
    },
  },
  {
    title: 'a task that nobody completes in its time fails its step',
    run: async (world) => {
      const run = await world.start(`
plan: expiring
version: 1.0.0
steps: [{ id: m, manual: { title: Look, expiresAfterMs: 300 }, retry: { maxAttempts: 1 } }, { id: b, run: echo }]
`)
      const { error } = await endsAs(run, 'FAILED')
      assert.equal(error?.slot, 'm')
      inOrder(await eventsOf(run), 'ManualTaskOpened m#1', 'StepFailed m#1', 'RunFailed')
    },
  },
  {
    title: 'a run that waits for a person is cancelled at once',
    run: async (world) => {
      const run = await world.start('{ plan: asking, version: 1.0.0, steps: [{ id: m, manual: { title: Look } }] }')
      await world.logged(run, 'ManualTaskOpened m#1')
      await run.signal('CANCEL')
      await endsAs(run, 'CANCELLED')
      assert.deepEqual(await run.tasks(), [])
    },
  },
  {
    title: 'a run that is to begin later begins then, by itself, and not before',
    run: async (world) => {
      const yaml = '{ plan: later, version: 1.0.0, steps: [{ id: a, run: echo }] }'
      const run = await world.start(yaml, {}, { inMs: DELAY_MS })
      await endsAs(run, 'COMPLETED')
      const [first, ...rest] = await run.records()
      assert.equal(first?.eventType, 'RunQueued')
      const started = rest.find(({ eventType }) => eventType === 'RunStarted')
      assert.ok(Date.parse(started?.emittedAt ?? '') >= Date.parse(String(first.payload?.['notBefore'])))
    },
  },
  {
    title: 'a run that is cancelled before its time never starts',
    run: async (world) => {
      const yaml = '{ plan: never, version: 1.0.0, steps: [{ id: a, run: echo }] }'
      const run = await world.start(yaml, {}, { inMs: 3_600_000 })
      await run.signal('CANCEL')
      await endsAs(run, 'CANCELLED')
      assert.deepEqual(
        (await eventsOf(run)).filter((event) => event.startsWith('Step') || event === 'RunStarted'),
        [],
      )
    },
  },
]

const FAILING: readonly EngineCase[] = [
  {
    title: 'under continue every item of a fan-out runs, and the step fails by the items that did',
    run: async (world) => {
      const run = await world.start(
        `
plan: some-fail
version: 1.0.0
policy: { onFailure: continue, retry: { maxAttempts: 1 } }
steps: [{ id: each, run: flaky, forEach: input.list, with: { failures: '\${item}' } }]
`,
        { list: [0, 1, 0, 1] },
      )
      await endsAs(run, 'FAILED')
      const calls = ['each[0]#1', 'each[1]#1', 'each[2]#1', 'each[3]#1']
      assert.deepEqual(world.stage.calls(run.runId).toSorted(), calls)
      const { steps } = await run.snapshot()
      assert.equal(steps[0]?.error?.code, 'ITEMS_FAILED')
      assert.deepEqual([steps[0].items?.done, steps[0].items?.failed], [2, 2])
    },
  },
  {
    title: 'a block of steps runs for each item, as many at once as it says',
    run: async (world) => {
      const run = await world.start(
        `
plan: blocks
version: 1.0.0
policy: { timeout: 1m, retry: { maxAttempts: unlimited, initialBackoff: 5ms } }
steps:
  - { id: first, run: echo, with: { id: 7 } }
  - id: each
    forEach:
      in: input.list
      concurrency: 1
      steps:
        - { id: one, run: echo, with: { n: '\${item}', of: '\${steps.first.output.id}', at: '\${index}' }, compensate: { run: echo } }
        - { id: two, run: echo, if: item > 1, with: { n: '\${steps.one.output.n}' } }
      output: '\${steps.two.output.n}'
  - { id: rest, wait: { for: 10ms } }
output: '\${steps.each.output}'
`,
        { list: [1, 2, 3] },
      )
      const { output } = await endsAs(run, 'COMPLETED')
      assert.deepEqual(output, [null, 2, 3])
      const events = await eventsOf(run)
      inOrder(
        events,
        'StepCompleted each[0]#1',
        'StepStarted each[1]#1',
        'StepCompleted each[1]#1',
        'StepStarted each[2]#1',
      )
    },
  },
  {
    title: 'a fallback that fails too leaves the step’s own failure as the cause',
    run: async (world) => {
      const run = await world.start(`
plan: both-fail
version: 1.0.0
steps: [{ id: a, run: refuse, fallback: { run: flaky, with: { failures: 9 } }, fallbackOn: [permanent], retry: { maxAttempts: 1 } }]
`)
      const { error } = await endsAs(run, 'FAILED')
      assert.equal(error?.slot, 'a')
      inOrder(await eventsOf(run), 'StepFailed a#1', 'StepFailed a.fallback#1', 'RunFailed')
    },
  },
  {
    title: 'a compensation that fails to the end does not keep the others from undoing',
    run: async (world) => {
      const compensation = (run: string, n: string): string =>
        `compensate: { run: ${run}, with: { undo: ${n}, failures: 9 }, retry: { maxAttempts: 1 } }`
      const run = await world.start(`
plan: badly-undone
version: 1.0.0
steps:
  - { id: a, run: echo, ${compensation('echo', 'a')} }
  - { id: b, run: echo, ${compensation('flaky', 'b')} }
  - { id: c, run: echo, ${compensation('echo', 'c')} }
  - { id: d, run: refuse }
`)
      await endsAs(run, 'FAILED')
      const undone = world.stage.inputs(run.runId).slice(-3) as readonly { readonly undo?: string }[]
      assert.deepEqual(
        undone.map(({ undo }) => undo),
        ['c', 'b', 'a'],
      )
      const types = (await run.records()).map(({ eventType }) => eventType)
      assert.equal(types.filter((type) => type === 'CompensationCompleted').length, 2)
      assert.equal(types.filter((type) => type === 'CompensationFailed').length, 1)
    },
  },
  {
    title: 'a child run that fails fails the step that started it',
    run: async (world) => {
      await world.publish('{ plan: failing-child, version: 1.0.0, steps: [{ id: x, run: refuse }] }')
      const run = await world.start(
        '{ plan: of-failing, version: 1.0.0, steps: [{ id: p, plan: { planId: failing-child }, retry: { maxAttempts: 1 } }] }',
      )
      const { error } = await endsAs(run, 'FAILED')
      assert.equal(error?.slot, 'p')
      await endsAs(await world.childOf(run), 'FAILED')
    },
  },
  {
    title: 'a finished child is undone when its parent fails, once, by a run of its own plan that names it',
    run: async (world) => {
      await world.publish(`
plan: undone-child
version: 1.0.0
steps:
  - { id: x, run: echo, with: { n: 1 }, compensate: { run: echo, with: { undo: x } } }
  - { id: y, run: echo, with: { n: 2 }, compensate: { run: echo, with: { undo: y } } }
`)
      const run = await world.start(`
plan: of-undone
version: 1.0.0
steps:
  - { id: p, plan: { planId: undone-child }, effect: compensatable }
  - { id: q, run: refuse }
`)
      await endsAs(run, 'FAILED')
      const { children } = await run.related()
      const [child] = children
      assert.equal(child?.undo?.result, 'undone')
      // The compensations are told the run that did the work.
      assert.deepEqual(world.stage.inputs(child.runId).slice(-2), [{ undo: 'y' }, { undo: 'x' }])
      assert.equal(world.stage.inputs(child.runId).length, 4)
      inOrder(await eventsOf(run), 'StepFailed q#1', 'CompensationCompleted p#1', 'RunFailed')
    },
  },
  {
    title: 'a step whose output is not what it promised fails',
    run: async (world) => {
      const run = await world.start(`
plan: promised
version: 1.0.0
steps: [{ id: a, run: echo, with: { n: 1 }, outputSchema: { type: string }, retry: { maxAttempts: 1 } }]
`)
      const { error } = await endsAs(run, 'FAILED')
      assert.equal(error?.slot, 'a')
    },
  },
  {
    title: 'a fork takes over what succeeded and runs the rest',
    run: async (world) => {
      const run = await world.start(`
plan: forked
version: 1.0.0
steps: [{ id: a, run: echo, with: { n: 1 } }, { id: b, run: refuse }]
`)
      await endsAs(run, 'FAILED')
      const fork = await world.fork(run)
      await endsAs(fork, 'FAILED')
      assert.deepEqual(world.stage.calls(fork.runId), ['b#1'])
      inOrder(await eventsOf(fork), 'StepCompleted a#1', 'StepFailed b#1')
    },
  },
]

export const ENGINE_CORNER_CASES: readonly EngineCase[] = [...ENDING, ...FAILING]
