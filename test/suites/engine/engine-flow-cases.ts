/** Cases about how a run goes by itself: order, data, retries, time limits, fan-outs, fallbacks, undoing, children, waits. */
import assert from 'node:assert/strict'
import { endsAs, ENGINE_NEEDS, eventsOf, inOrder, type EngineCase } from './engine-suite.ts'
import { SPREADING } from './engine-spread-cases.ts'

const QUICK = 'retry: { maxAttempts: 3, initialBackoffMs: 5 }'

const ORDER: readonly EngineCase[] = [
  {
    title: 'steps run in the order that they depend on each other, with what the earlier ones gave',
    run: async (world) => {
      const run = await world.start(
        `
plan: diamond
version: 1.0.0
steps:
  - { id: a, run: echo, with: { n: '\${input.n}' } }
  - { id: b, dependsOn: [a], run: echo, with: { b: '\${steps.a.output.n}' } }
  - { id: c, dependsOn: [a], run: echo, with: { c: '\${steps.a.output.n}' } }
  - { id: d, dependsOn: [b, c], run: echo, with: { b: '\${steps.b.output}', c: '\${steps.c.output}' } }
output: '\${steps.d.output}'
`,
        { n: 7 },
      )
      const { output } = await endsAs(run, 'COMPLETED')
      assert.deepEqual(output, { b: { b: 7 }, c: { c: 7 } })
      const events = await eventsOf(run)
      for (const middle of ['b', 'c'])
        inOrder(events, 'StepCompleted a#1', `StepStarted ${middle}#1`, `StepCompleted ${middle}#1`, 'StepStarted d#1')
      assert.deepEqual(world.stage.calls(run.runId).toSorted(), ['a#1', 'b#1', 'c#1', 'd#1'])
    },
  },
  {
    title: 'a condition skips its step, and what depends on it goes on',
    run: async (world) => {
      const run = await world.start(`
plan: conditions
version: 1.0.0
steps:
  - { id: a, run: echo, with: { go: false } }
  - { id: b, dependsOn: [a], if: steps.a.output.go, run: echo }
  - { id: c, dependsOn: [b], run: echo }
`)
      await endsAs(run, 'COMPLETED')
      inOrder(await eventsOf(run), 'StepSkipped b#1', 'StepStarted c#1')
      assert.deepEqual(world.stage.calls(run.runId), ['a#1', 'c#1'])
    },
  },
  {
    title: 'variables that steps capture are what later steps and the output see',
    run: async (world) => {
      const run = await world.start(`
plan: captures
version: 1.0.0
context: { seen: [] }
steps:
  - { id: a, run: echo, with: { id: 7 }, capture: [{ destination: seen, transform: id, merge: append }] }
  - { id: b, run: echo, with: { ids: '\${context.seen}' }, capture: [{ destination: last, transform: ids }] }
output: { seen: '\${context.seen}', last: '\${context.last}' }
`)
      const { output } = await endsAs(run, 'COMPLETED')
      assert.deepEqual(output, { seen: [7], last: [7] })
    },
  },
  {
    title: 'an output too large for the log is read as if it were in it',
    run: async (world) => {
      const run = await world.start(`
plan: large
version: 1.0.0
steps: [{ id: a, run: large, with: { chars: 70000 } }, { id: b, run: echo, with: { chars: '\${length(steps.a.output)}' } }]
output: '\${steps.b.output}'
`)
      const { output } = await endsAs(run, 'COMPLETED')
      assert.deepEqual(output, { chars: 70_000 })
      const records = await run.records()
      assert.ok(records.every((record) => JSON.stringify(record).length < 66_000))
    },
  },
  {
    title: 'a secret reaches its step and never the log',
    run: async (world) => {
      const { ref, value } = ENGINE_NEEDS.secrets
      const run = await world.start(`
plan: secretive
version: 1.0.0
steps: [{ id: a, run: secretive, secrets: { token: '${ref}' } }]
output: '\${steps.a.output}'
`)
      const { output } = await endsAs(run, 'COMPLETED')
      assert.equal((output as { readonly chars: number }).chars, value.length)
      assert.ok(!JSON.stringify(await run.records()).includes(value))
    },
  },
  {
    title: 'what a step keeps is pointed to by its run',
    run: async (world) => {
      const run = await world.start(
        '{ plan: keeping, version: 1.0.0, steps: [{ id: a, run: keep, with: { text: hello } }] }',
      )
      await endsAs(run, 'COMPLETED')
      const { artifacts } = await run.snapshot()
      assert.deepEqual(
        artifacts.map(({ kind, sizeBytes }) => [kind, sizeBytes]),
        [['log-bundle', 5]],
      )
    },
  },
]

const FAILING: readonly EngineCase[] = [
  {
    title: 'a step is tried again by its policy, each time under a new number, until it succeeds [ENG-06]',
    run: async (world) => {
      const run = await world.start(`
plan: flaky
version: 1.0.0
steps: [{ id: a, run: flaky, with: { failures: 2 }, ${QUICK} }]
output: '\${steps.a.output}'
`)
      const { output } = await endsAs(run, 'COMPLETED')
      assert.equal(output, 3)
      assert.deepEqual(
        (await eventsOf(run)).filter((event) => event.startsWith('Step')),
        [1, 2, 3].flatMap((n) => [`StepStarted a#${n}`, `${n < 3 ? 'StepFailed' : 'StepCompleted'} a#${n}`]),
      )
      assert.deepEqual(world.stage.calls(run.runId), ['a#1', 'a#2', 'a#3'])
    },
  },
  {
    title: 'a step that fails for good is tried once and ends a run that fails fast',
    run: async (world) => {
      const run = await world.start(`
plan: refused
version: 1.0.0
steps: [{ id: a, run: refuse, ${QUICK} }, { id: b, run: echo }]
`)
      const { error } = await endsAs(run, 'FAILED')
      assert.equal(error?.slot, 'a')
      assert.deepEqual(world.stage.calls(run.runId), ['a#1'])
      inOrder(await eventsOf(run), 'StepFailed a#1', 'RunFailed')
    },
  },
  {
    title: 'under continue what does not depend on the failed step still runs',
    run: async (world) => {
      const run = await world.start(`
plan: continues
version: 1.0.0
policy: { onFailure: continue }
steps:
  - { id: a, dependsOn: [], run: refuse }
  - { id: b, dependsOn: [a], run: echo }
  - { id: c, dependsOn: [], run: echo }
  - { id: d, dependsOn: [c], run: echo }
`)
      await endsAs(run, 'FAILED')
      assert.deepEqual(world.stage.calls(run.runId).toSorted(), ['a#1', 'c#1', 'd#1'])
      inOrder(await eventsOf(run), 'StepCompleted d#1', 'StepSkipped b#1', 'RunFailed')
    },
  },
  {
    title: 'an attempt that takes too long is ended and tried again; the late answer changes nothing',
    run: async (world) => {
      const run = await world.start(`
plan: slow
version: 1.0.0
steps: [{ id: a, run: held, timeoutMs: 200, retry: { maxAttempts: 1 } }]
`)
      const { error } = await endsAs(run, 'FAILED')
      assert.equal(error?.code, 'TIMEOUT')
      assert.equal(world.stage.stops(run.runId), 1)
    },
  },
  {
    title: 'a run that takes too long is ended with all that is under way',
    run: async (world) => {
      const run = await world.start(`
plan: too-long
version: 1.0.0
policy: { runTimeoutMs: 400 }
steps: [{ id: a, run: held }, { id: b, run: echo }]
`)
      const { error } = await endsAs(run, 'FAILED')
      assert.equal(error?.code, 'RUN_TIMEOUT')
      inOrder(await eventsOf(run), 'StepStarted a#1', 'StepFailed a#1', 'RunFailed')
    },
  },
  {
    title: 'a fallback stands in for a step whose tries are used up',
    run: async (world) => {
      const run = await world.start(`
plan: fallen-back
version: 1.0.0
steps:
  - { id: a, run: flaky, with: { failures: 9 }, retry: { maxAttempts: 2, initialBackoffMs: 5 }, fallback: { run: echo, with: { instead: true } } }
output: '\${steps.a.output}'
`)
      const { output } = await endsAs(run, 'COMPLETED')
      assert.deepEqual(output, { instead: true })
      inOrder(await eventsOf(run), 'StepFailed a#1', 'StepFailed a#2', 'StepCompleted a.fallback#1', 'RunCompleted')
    },
  },
  {
    title: 'what was done is undone in reverse when the run fails, before its end is written',
    run: async (world) => {
      const run = await world.start(`
plan: undone
version: 1.0.0
steps:
  - { id: a, run: echo, with: { n: 1 }, compensate: { run: echo, with: { undo: a } } }
  - { id: b, run: echo, with: { n: 2 }, compensate: { run: echo, with: { undo: b } } }
  - { id: c, run: refuse }
`)
      await endsAs(run, 'FAILED')
      assert.deepEqual(world.stage.inputs(run.runId).slice(-2), [{ undo: 'b' }, { undo: 'a' }])
      const events = (await eventsOf(run)).map((event) => event.split('#')[0])
      inOrder(
        events.filter((event) => event !== undefined),
        'StepFailed c',
        'CompensationCompleted b',
        'CompensationCompleted a',
        'RunFailed',
      )
    },
  },
]

export const ENGINE_FLOW_CASES: readonly EngineCase[] = [...ORDER, ...FAILING, ...SPREADING]
