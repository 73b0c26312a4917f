/** Cases about steering a run: pause, cancel, stop, retry and skip a step, change its parameters, complete a task by hand. */
import assert from 'node:assert/strict'
import { endsAs, eventsOf, inOrder, type EngineCase, type EngineRun, type EngineWorld } from './engine-suite.ts'

const HELD = '{ plan: held, version: 1.0.0, steps: [{ id: a, run: held }, { id: b, run: echo, with: { n: 1 } }] }'
const ON_HOLD = `
plan: on-hold
version: 1.0.0
policy: { onFailure: hold, retry: { maxAttempts: 1 } }
steps: [{ id: a, run: flaky, with: { failures: 1 } }, { id: b, run: echo }]
`

async function startHeld(world: EngineWorld, yaml = HELD): Promise<EngineRun> {
  const run = await world.start(yaml)
  await world.stage.atWork(run.runId, 'a')
  return run
}

/** A task's token, once it is open. */
async function tokenOf(world: EngineWorld, run: EngineRun): Promise<string> {
  await world.logged(run, 'ManualTaskOpened m#1')
  return (await run.tasks())[0]?.token ?? assert.fail('no task is open')
}

const STOPPING: readonly EngineCase[] = [
  {
    title: 'a paused run starts nothing, lets what runs end, and goes on where it was when it is resumed [ENG-06]',
    run: async (world) => {
      const run = await startHeld(world)
      await run.signal('PAUSE', { reason: 'look' })
      await world.logged(run, 'RunPaused')
      assert.equal((await run.snapshot()).substatus, 'DRAINING')
      world.stage.release(run.runId)
      await world.logged(run, 'StepCompleted a#1')
      assert.deepEqual(world.stage.calls(run.runId), ['a#1'])
      await run.signal('RESUME')
      await endsAs(run, 'COMPLETED')
      assert.deepEqual(world.stage.calls(run.runId), ['a#1', 'b#1'])
      inOrder(await eventsOf(run), 'RunPaused', 'StepCompleted a#1', 'RunResumed', 'StepStarted b#1')
    },
  },
  {
    title: 'a cancelled run asks its steps to stop, starts no other and ends cancelled [ENG-06]',
    run: async (world) => {
      const run = await startHeld(world)
      await run.signal('CANCEL', { reason: 'wrong customer' })
      await endsAs(run, 'CANCELLED')
      assert.equal(world.stage.stops(run.runId), 1)
      assert.deepEqual(world.stage.calls(run.runId), ['a#1'])
      inOrder(await eventsOf(run), 'SignalAccepted', 'StepFailed a#1', 'RunCancelled')
    },
  },
  {
    title: 'an emergency stop ends a run at once, and what its step still says is recorded as late',
    run: async (world) => {
      const run = await startHeld(world, '{ plan: stopped, version: 1.0.0, steps: [{ id: a, run: stubborn }] }')
      await run.signal('EMERGENCY_STOP', { reason: 'smoke in the hall' })
      await endsAs(run, 'CANCELLED')
      world.stage.release(run.runId)
      await world.logged(run, 'LateOutcomeRecorded a#1')
      const ends = (await eventsOf(run)).filter((event) => event.endsWith(' a#1'))
      assert.deepEqual(ends, ['StepStarted a#1', 'StepFailed a#1', 'LateOutcomeRecorded a#1'])
    },
  },
  {
    title: 'a child run is cancelled with its parent',
    run: async (world) => {
      await world.publish('{ plan: held-child, version: 1.0.0, steps: [{ id: a, run: held }] }')
      const run = await world.start(
        '{ plan: parent, version: 1.0.0, steps: [{ id: p, plan: { planId: held-child } }] }',
      )
      const child = await world.childOf(run)
      await world.stage.atWork(child.runId, 'a')
      await run.signal('CANCEL')
      await endsAs(child, 'CANCELLED')
      await endsAs(run, 'CANCELLED')
    },
  },
]

const MENDING: readonly EngineCase[] = [
  {
    title: 'under hold a failed step waits for somebody, and is tried again when somebody says so',
    run: async (world) => {
      const run = await world.start(ON_HOLD)
      await world.logged(run, 'StepFailed a#1')
      assert.match((await run.snapshot()).substatus ?? '', /^[a-z]+\/HOLDING$/)
      await run.signal('RETRY_STEP', { stepId: 'a' })
      await endsAs(run, 'COMPLETED')
      assert.deepEqual(world.stage.calls(run.runId), ['a#1', 'a#2', 'b#1'])
    },
  },
  {
    title: 'under hold a failed step can be skipped, and the run goes on',
    run: async (world) => {
      const run = await world.start(ON_HOLD)
      await world.logged(run, 'StepFailed a#1')
      await run.signal('SKIP_STEP', { stepId: 'a', reason: 'done by hand' })
      await endsAs(run, 'COMPLETED')
      assert.deepEqual(world.stage.calls(run.runId), ['a#1', 'b#1'])
      inOrder(await eventsOf(run), 'StepFailed a#1', 'StepSkipped a#2', 'StepStarted b#1')
    },
  },
  {
    title: 'parameters that are changed in the middle are what later steps get',
    run: async (world) => {
      const run = await world.start(
        `
plan: changed
version: 1.0.0
steps: [{ id: a, run: held, with: { n: '\${input.n}' } }, { id: b, run: echo, with: { n: '\${input.n}' } }]
`,
        { n: 1 },
      )
      await world.stage.atWork(run.runId, 'a')
      await run.signal('UPDATE_PARAMS', { params: { n: 2 }, reason: 'a mistake' })
      await world.logged(run, 'SignalAccepted')
      world.stage.release(run.runId)
      await endsAs(run, 'COMPLETED')
      assert.deepEqual(world.stage.inputs(run.runId), [{ n: 1 }, { n: 2 }])
    },
  },
  {
    title: 'one step’s input is changed before it starts',
    run: async (world) => {
      const run = await startHeld(world)
      await run.signal('INJECT_OVERRIDE', { stepId: 'b', override: { n: 5 }, reason: 'a mistake' })
      await world.logged(run, 'SignalAccepted')
      world.stage.release(run.runId)
      await endsAs(run, 'COMPLETED')
      assert.deepEqual(world.stage.inputs(run.runId).at(-1), { n: 5 })
    },
  },
  {
    title: 'a signal that the state forbids is recorded as rejected and changes nothing',
    run: async (world) => {
      const run = await startHeld(world)
      for (const [type, payload] of [
        ['RETRY_STEP', { stepId: 'a' }],
        ['SKIP_STEP', { stepId: 'nowhere' }],
        ['PAUSE', { surprise: true }],
      ] as const)
        await assert.rejects(run.signal(type, payload))
      // The first of them is about a step at work.
      await world.logged(run, 'SignalRejected')
      world.stage.release(run.runId)
      await endsAs(run, 'COMPLETED')
      await assert.rejects(run.signal('CANCEL'))
      const codes = (await run.records())
        .filter(({ eventType }) => eventType === 'SignalRejected')
        .map(({ payload }) => payload?.['reasonCode'])
      assert.deepEqual(codes, ['STEP_NOT_TERMINAL', 'STEP_UNKNOWN', 'SIGNAL_INVALID_PAYLOAD', 'RUN_TERMINAL'])
    },
  },
]

const MANUAL =
  '{ plan: manual, version: 1.0.0, steps: [{ id: m, manual: { title: Look } }, { id: b, run: echo, with: { got: "${steps.m.output}" } }] }'

const BY_HAND: readonly EngineCase[] = [
  {
    title: 'a person’s result is the output of a manual step',
    run: async (world) => {
      const run = await world.start(MANUAL)
      const completionToken = await tokenOf(world, run)
      const done = { completionToken, outcome: 'Succeeded', actorUserId: 'ana', result: { ok: true } } as const
      await run.completeTask(done)
      await endsAs(run, 'COMPLETED')
      assert.deepEqual(world.stage.inputs(run.runId), [{ got: { ok: true } }])
    },
  },
  {
    title: 'a person’s refusal fails a manual step for good',
    run: async (world) => {
      const run = await world.start(MANUAL)
      await run.completeTask({ completionToken: await tokenOf(world, run), outcome: 'Failed', actorUserId: 'ana' })
      const { error } = await endsAs(run, 'FAILED')
      assert.equal(error?.slot, 'm')
      assert.deepEqual(world.stage.calls(run.runId), [])
    },
  },
]

export const ENGINE_STEERING_CASES: readonly EngineCase[] = [...STOPPING, ...MENDING, ...BY_HAND]
