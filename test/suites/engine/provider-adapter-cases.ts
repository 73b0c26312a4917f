/**
 * What every engine's adapter must do (ADP-01), as cases for whoever builds one. A case gets a world with the adapter, a plan
 * store and the functions of `engineStage`; it knows nothing else of the engine.
 */
import assert from 'node:assert/strict'
import { parseRunRef, type EngineRunRef } from '../../../src/core/engine/run-ref.ts'
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import {
  type AdapterCase,
  TENANT,
  ACTOR,
  ONE,
  contextOf,
  start,
  startHeld,
  refusedWith,
  ofType,
  signalOf,
} from './provider-adapter-world.ts'
import { REFUSING } from './provider-refusal-cases.ts'

const STARTING: readonly AdapterCase[] = [
  {
    title: 'a start answers with a whole reference of its own provider and of the run’s id [ADP-01, ENG-01, ENG-03]',
    run: async (world) => {
      const ref = await start(world, ONE)
      assert.equal(ref.provider, world.adapter.provider)
      assert.deepEqual(parseRunRef(ref), { ok: true, value: ref })
      assert.equal(await world.ended(ref.runId), 'COMPLETED')
      const [started] = await ofType(world, ref, 'RunStarted')
      assert.equal(started?.payload?.['engineType'], world.adapter.provider)
      assert.deepEqual(started?.payload?.['context'], {
        tenantId: TENANT,
        projectId: 'default',
        environmentId: 'local',
        triggeredBy: 'ada',
        triggerSource: 'api',
      })
    },
  },
  {
    title: 'the engine runs the steps by itself: nobody who asked for the run is on the way to them [ADP-02]',
    run: async (world) => {
      const before = Error.stackTraceLimit
      Error.stackTraceLimit = 200
      try {
        const ref = await startHeld(world)
        // The start has been answered while the first step is at work; nothing is called from here on.
        world.stage.release(ref.runId)
        assert.equal(await world.ended(ref.runId), 'COMPLETED')
        const stack = world.stage.stack(ref.runId)
        assert.match(stack, /execute-step/)
        assert.doesNotMatch(stack, /engine-adapter|run-operations/)
        assert.equal((await ofType(world, ref, 'StepCompleted')).length, 2)
      } finally {
        Error.stackTraceLimit = before
      }
    },
  },
  {
    title: 'a run’s id can be started once, one after another and at the same time [ENG-11]',
    run: async (world) => {
      const plan = await world.publish(ONE)
      const context = contextOf(world)
      const both = await Promise.allSettled([1, 2].map(() => world.adapter.startRun(plan, context, ACTOR)))
      assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
      const lost = both.find((one) => one.status === 'rejected')
      assert.ok(lost?.reason instanceof KeelsonError && lost.reason.code === 'RUN_ALREADY_EXISTS')
      await refusedWith('RUN_ALREADY_EXISTS', world.adapter.startRun(plan, context, ACTOR))
      assert.equal(await world.ended(context.runId), 'COMPLETED')
      await refusedWith('RUN_ALREADY_EXISTS', world.adapter.startRun(plan, context, ACTOR))
      const started = (await world.records(context.runId)).filter(({ eventType }) => eventType === 'RunStarted')
      assert.equal(started.length, 1)
    },
  },
  {
    title: 'a step with a field that nobody knows is refused before anything is recorded [ADP-05, CAP-12]',
    run: async (world) => {
      const plan = await world.publishChanged(await world.publish(ONE), ({ steps }) => {
        if (steps[0] !== undefined) steps[0]['surprise'] = true
      })
      const context = contextOf(world)
      const error = await refusedWith('INVALID_STEP_SCHEMA', world.adapter.startRun(plan, context, ACTOR))
      assert.match(error.message, /surprise/)
      assert.deepEqual(await world.records(context.runId), [])
    },
  },
  {
    title: 'a run for another engine is refused by the field that says so [ENG-12]',
    run: async (world) => {
      const targetAdapter = world.adapter.provider === 'embedded' ? 'temporal' : 'embedded'
      const sent = world.adapter.startRun(await world.publish(ONE), contextOf(world, { targetAdapter }), ACTOR)
      const error = await refusedWith('INVALID_TARGET_ADAPTER', sent)
      assert.equal(error.problems[0]?.pointer, '/targetAdapter')
    },
  },
]

const STEERING: readonly AdapterCase[] = [
  {
    title: 'a cancelled run tells its reason and its cause; cancelling again changes nothing [ADP-01, ENG-13]',
    run: async (world) => {
      const ref = await startHeld(world)
      await Promise.all([1, 2].map(() => world.adapter.cancelRun(ref, ACTOR, 'wrong customer')))
      assert.equal(await world.ended(ref.runId), 'CANCELLED')
      await world.adapter.cancelRun(ref, ACTOR, 'wrong customer')
      const cancelled = await ofType(world, ref, 'RunCancelled')
      assert.equal(cancelled.length, 1)
      const { cause, reason } = cancelled[0]?.payload ?? {}
      assert.deepEqual({ cause, reason }, { cause: 'cancelRun', reason: 'wrong customer' })
      const [accepted] = await ofType(world, ref, 'SignalAccepted')
      const { signalId, policyDecisionId, decision, actorId } = accepted?.payload ?? {}
      assert.deepEqual({ decision, actorId }, { decision: 'ACCEPTED', actorId: 'ada' })
      assert.match(String(signalId), /^[0-9a-f-]{36}$/)
      assert.match(String(policyDecisionId), /^[0-9a-f-]{36}$/)
      assert.equal(cancelled[0]?.causedBySignalId, signalId)
    },
  },
  {
    title: 'cancelRun, CANCEL and EMERGENCY_STOP go the same way and are told apart in the log [ENG-13]',
    run: async (world) => {
      const causes: unknown[] = []
      const ways = [
        (ref: EngineRunRef) => world.adapter.cancelRun(ref, ACTOR),
        (ref: EngineRunRef) => world.adapter.signal(ref, signalOf(world, 'CANCEL'), ACTOR),
        (ref: EngineRunRef) => world.adapter.signal(ref, signalOf(world, 'EMERGENCY_STOP', { reason: 'fire' }), ACTOR),
      ]
      for (const way of ways) {
        const ref = await startHeld(world)
        await way(ref)
        assert.equal(await world.ended(ref.runId), 'CANCELLED')
        const [cancelled, ...more] = await ofType(world, ref, 'RunCancelled')
        assert.deepEqual(more, [])
        assert.equal((await ofType(world, ref, 'SignalAccepted')).length, 1)
        causes.push(cancelled?.payload?.['cause'])
      }
      assert.deepEqual(causes, ['cancelRun', 'CANCEL', 'EMERGENCY_STOP'])
    },
  },
  {
    title:
      'the status is that of the log: of a live run without an end, of a paused one with what drains [ENG-07, ENG-08]',
    run: async (world) => {
      const ref = await startHeld(world)
      const running = await world.adapter.getRunStatus(ref, ACTOR)
      assert.equal(running.status, 'RUNNING')
      assert.deepEqual(Object.keys(running).toSorted(), ['runId', 'startedAt', 'status'])
      await world.adapter.signal(ref, signalOf(world, 'PAUSE', { reason: 'look' }), ACTOR)
      await world.logged(ref.runId, 'RunPaused')
      const paused = await world.adapter.getRunStatus(ref, ACTOR)
      assert.deepEqual([paused.status, paused.substatus], ['PAUSED', 'DRAINING'])
      world.stage.release(ref.runId)
      await world.logged(ref.runId, 'StepCompleted', 'a')
      assert.equal((await world.adapter.getRunStatus(ref, ACTOR)).substatus, undefined)
      await world.adapter.signal(ref, signalOf(world, 'RESUME'), ACTOR)
      assert.equal(await world.ended(ref.runId), 'COMPLETED')
      const ended = await world.adapter.getRunStatus(ref, ACTOR)
      assert.deepEqual(Object.keys(ended).toSorted(), ['completedAt', 'runId', 'startedAt', 'status'])
      assert.deepEqual(await world.adapter.getRunStatus(ref, ACTOR), ended)
    },
  },
  {
    title:
      'a signal that there is not is on record as rejected, and the error names provider, operation and run [ADP-06]',
    run: async (world) => {
      const ref = await startHeld(world)
      const sent = world.adapter.signal(ref, signalOf(world, 'DANCE'), ACTOR)
      const { problems } = await refusedWith('ADAPTER_SIGNAL_UNSUPPORTED', sent)
      const { provider, operation, ref: named } = problems[0]?.details ?? {}
      assert.deepEqual([provider, operation], [world.adapter.provider, 'signal'])
      assert.equal((named as EngineRunRef).runId, ref.runId)
      await world.logged(ref.runId, 'SignalRejected')
      world.stage.release(ref.runId)
      assert.equal(await world.ended(ref.runId), 'COMPLETED')
    },
  },
]

export const PROVIDER_ADAPTER_CASES: readonly AdapterCase[] = [...STARTING, ...STEERING, ...REFUSING]
