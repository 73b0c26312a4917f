/** What every engine's adapter must refuse, and how it tells it. */
import assert from 'node:assert/strict'
import type { EngineRunRef } from '../../../src/core/engine/run-ref.ts'
import type { ActorContext } from '../../../src/ports/provider-adapter.ts'
import {
  type AdapterWorld,
  type AdapterCase,
  ACTOR,
  STRANGER,
  ONE,
  contextOf,
  start,
  startHeld,
  refusedWith,
  ofType,
  signalOf,
} from './provider-adapter-world.ts'

export const REFUSING: readonly AdapterCase[] = [
  {
    title: 'a reference that lacks a field or is not the run’s is refused by that field [ADP-01, ENG-03, ENG-04]',
    run: async (world) => {
      const ref = await start(world, ONE)
      await world.ended(ref.runId)
      const { workflowId: _left, ...lacking } = ref
      for (const wrong of [lacking as EngineRunRef, { ...ref, workflowId: 'another' } as EngineRunRef]) {
        for (const call of calls(world, wrong, ACTOR)) {
          const error = await refusedWith('ADAPTER_INVALID_RUN_REF', call())
          assert.equal(error.problems[0]?.pointer, '/workflowId')
        }
      }
    },
  },
  {
    title:
      'the run of another tenant is none: who refers to it is refused and audited, and its log stays [ENG-04, SIG-15]',
    run: async (world) => {
      const ref = await start(world, ONE)
      await world.ended(ref.runId)
      const before = await world.records(ref.runId)
      const known = (await world.audited()).length
      for (const call of calls(world, ref, STRANGER)) await refusedWith('RUN_NOT_FOUND', call())
      const entries = (await world.audited()).slice(known)
      assert.deepEqual(
        entries.map(({ operation }) => operation),
        ['cancelRun', 'getRunStatus', 'signal'],
      )
      for (const { actorId, tenantId, sourceIp, target, decision } of entries)
        assert.deepEqual(
          { actorId, tenantId, sourceIp, target, decision },
          { actorId: 'mallory', tenantId: 'other', sourceIp: '192.0.2.66', target: ref.runId, decision: 'DENIED' },
        )
      assert.deepEqual(await world.records(ref.runId), before)
    },
  },
  {
    title: 'a run is started for nobody’s tenant but the caller’s, and the attempt is audited',
    run: async (world) => {
      const known = (await world.audited()).length
      const context = contextOf(world)
      const started = world.adapter.startRun(await world.publish(ONE), context, STRANGER)
      await refusedWith('AUTHZ_TENANT_FORBIDDEN', started)
      const [entry, ...more] = (await world.audited()).slice(known)
      assert.deepEqual([entry?.operation, entry?.target, more], ['startRun', context.runId, []])
      assert.deepEqual(await world.records(context.runId), [])
    },
  },
  {
    title: 'without a caller none of the four operations is carried out [X-49]',
    run: async (world) => {
      const ref = await start(world, ONE)
      await world.ended(ref.runId)
      const plan = await world.publish(ONE)
      const nobody = [undefined as unknown as ActorContext, { ...ACTOR, userId: '' }, { ...ACTOR, tenantId: '' }]
      for (const actor of nobody) {
        for (const call of calls(world, ref, actor)) await refusedWith('AUTHZ_DENIED', call())
        await refusedWith('AUTHZ_DENIED', world.adapter.startRun(plan, contextOf(world), actor))
      }
    },
  },
  {
    title: 'who has no role for a signal is refused, and the refusal is in the log',
    run: async (world) => {
      const ref = await startHeld(world)
      const viewer = { ...ACTOR, roles: ['Viewer'] }
      await refusedWith('AUTHZ_DENIED', world.adapter.signal(ref, signalOf(world, 'PAUSE'), viewer))
      await refusedWith('AUTHZ_DENIED', world.adapter.cancelRun(ref, viewer))
      world.stage.release(ref.runId)
      assert.equal(await world.ended(ref.runId), 'COMPLETED')
      const rejected = await ofType(world, ref, 'SignalRejected')
      assert.deepEqual(
        rejected.map(({ payload }) => [payload?.['signalType'], payload?.['reasonCode']]),
        [
          ['PAUSE', 'AUTHZ_DENIED'],
          ['CANCEL', 'AUTHZ_DENIED'],
        ],
      )
    },
  },
]

/** The operations on a run that is there. */
function calls(world: AdapterWorld, ref: EngineRunRef, actor: ActorContext): readonly (() => Promise<unknown>)[] {
  const { adapter } = world
  return [
    () => adapter.cancelRun(ref, actor),
    () => adapter.getRunStatus(ref, actor),
    () => adapter.signal(ref, signalOf(world, 'PAUSE'), actor),
  ]
}
