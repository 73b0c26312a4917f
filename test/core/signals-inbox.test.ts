/** Signals on their whole way: sent by anyone, kept in the inbox, decided by whoever drives the run. */
import { describe, expect, it } from 'vitest'
import { signalRun } from '../../src/app/signals/signal-run.ts'
import { SENDER, running, codeOf } from '../fixtures/signalled-run.ts'

describe('the same signal', () => {
  it('sent three times is one record and one effect, and its decision stays readable [SIG-04, IDM-11]', async () => {
    const { world, process, key } = await running()
    const signalId = await process.signal(key, 'PAUSE', { reason: 'lunch' })
    await process.signal(key, 'PAUSE', { reason: 'lunch' }, { signalId })
    await process.signal(key, 'PAUSE', { reason: 'lunch' }, { signalId })
    await world.advanceBy(2000)
    expect(world.log(key, 'SignalAccepted', 'SignalRejected', 'RunPaused')).toEqual([
      'SignalAccepted RUN#1',
      'RunPaused RUN#1',
    ])
    const accepted = world.records(key).find((record) => record.eventType === 'SignalAccepted')
    const row = await process.store.findInbox(key, `signal:${signalId}`)
    expect(row?.consumedSeq).toBe(accepted?.runSeq)
    const { authorization } = JSON.parse(row?.body ?? '{}') as { authorization: { policyDecisionId: string } }
    expect(accepted?.payload).toMatchObject({ signalId, policyDecisionId: authorization.policyDecisionId })
  })

  it('with another content under the same id is refused, and the first stands [P-21]', async () => {
    const { world, process, key, ref } = await running()
    const signalId = await process.signal(key, 'PAUSE')
    expect(
      await codeOf(signalRun(process.services, ref, { signalId, signalType: 'CANCEL', payload: {} }, SENDER)),
    ).toBe('SIGNAL_DUPLICATE')
    await world.advanceBy(2000)
    expect(world.row(key).status).toBe('PAUSED')
  })
})

describe('every signal on an existing run of the own tenant', () => {
  it('leaves one decision, also when denied, malformed or too late; a foreign tenant leaves none [SIG-15]', async () => {
    const { world, process, key, ref } = await running()
    const decisions = (): string[] =>
      world.log(key, 'SignalAccepted', 'SignalRejected').map((line) => line.replace(/ .*/, ''))
    await process.signal(key, 'PAUSE', {}, { allowed: false })
    expect(decisions()).toEqual(['SignalRejected'])
    expect(world.row(key).status).toBe('RUNNING')
    await process.signal(key, 'PAUSE', { surprise: true })
    await process.signal(key, 'NO_SUCH_SIGNAL', {})
    expect(decisions()).toEqual(['SignalRejected', 'SignalRejected', 'SignalRejected'])
    const foreign = { tenantId: 'other', runId: ref.runId }
    expect(
      await codeOf(
        signalRun(
          process.services,
          foreign,
          { signalId: process.services.random.uuid(), signalType: 'PAUSE', payload: {} },
          SENDER,
        ),
      ),
    ).toBe('RUN_NOT_FOUND')
    await process.signal(key, 'EMERGENCY_STOP', { reason: 'fire' })
    expect(world.row(key).status).toBe('CANCELLED')
    await process.signal(key, 'PAUSE')
    await process.advancer.advance(key)
    expect(decisions()).toEqual([
      'SignalRejected',
      'SignalRejected',
      'SignalRejected',
      'SignalAccepted',
      'SignalRejected',
    ])
    const codes = world
      .records(key)
      .flatMap((record) => (record.eventType === 'SignalRejected' ? [record.payload?.['reasonCode']] : []))
    expect(codes).toEqual(['AUTHZ_DENIED', 'SIGNAL_INVALID_PAYLOAD', 'SIGNAL_INVALID_PAYLOAD', 'RUN_TERMINAL'])
  })

  it('is recorded with its payload, which therefore is bounded and holds no secret in plain text [P-24]', async () => {
    const { world, process, key, ref } = await running()
    const send = async (payload: Readonly<Record<string, unknown>>): Promise<string> =>
      codeOf(
        signalRun(
          process.services,
          ref,
          {
            signalId: process.services.random.uuid(),
            signalType: 'UPDATE_PARAMS',
            payload: { ...payload, reason: 'a mistake' },
          },
          SENDER,
        ),
      )
    expect(await send({ params: { text: 'x'.repeat(65_000) } })).toBe('nothing thrown')
    expect(await send({ params: { text: 'x'.repeat(66_000) } })).toBe('SIGNAL_INVALID_PAYLOAD')
    expect(await send({ params: { db: { Api_Key: 'hunter2' } } })).toBe('SIGNAL_INVALID_PAYLOAD')
    expect(await send({ params: { db: { apiKey: 'secret://prod/db' } } })).toBe('nothing thrown')
    await world.advanceBy(1000)
    const accepted = world.records(key).filter((record) => record.eventType === 'SignalAccepted')
    expect(accepted.map((record) => record.data?.['signalPayload'])).toEqual([
      { params: { text: 'x'.repeat(65_000) }, reason: 'a mistake' },
      { params: { db: { apiKey: 'secret://prod/db' } }, reason: 'a mistake' },
    ])
    expect(world.log(key, 'SignalRejected')).toEqual([])
    expect(JSON.stringify([...(world.disk.runs[0]?.inbox.values() ?? [])])).not.toContain('hunter2')
  })

  it('a rejected pause writes no RunPaused, and one that nobody has taken in yet writes none either [SSM-05]', async () => {
    const { world, process, key, ref } = await running()
    await process.signal(key, 'PAUSE', {}, { allowed: false })
    await signalRun(
      process.services,
      ref,
      { signalId: process.services.random.uuid(), signalType: 'PAUSE', payload: {} },
      SENDER,
    )
    await world.time.quiet()
    expect(world.log(key, 'RunPaused')).toEqual([])
    await world.advanceBy(1000)
    expect(world.log(key, 'RunPaused')).toEqual(['RunPaused RUN#1'])
  })
})

describe('delivery', () => {
  it('keeps the order of arrival: a burst of PAUSE and RESUME ends RUNNING, each with its own decision [SIG-09, P-06]', async () => {
    const { world, process, key, ref } = await running()
    const sent: string[] = []
    for (const signalType of ['PAUSE', 'RESUME', 'PAUSE', 'RESUME']) {
      const signalId = process.services.random.uuid()
      await signalRun(process.services, ref, { signalId, signalType, payload: {} }, SENDER)
      sent.push(signalId)
    }
    const head = world.records(key).length
    process.engine.wake(key)
    await world.time.quiet()
    expect(world.row(key).status).toBe('RUNNING')
    const added = world.records(key).slice(head)
    expect(added.map((record) => record.eventType)).toEqual([
      'SignalAccepted',
      'RunPaused',
      'SignalAccepted',
      'RunResumed',
      'SignalAccepted',
      'RunPaused',
      'SignalAccepted',
      'RunResumed',
    ])
    expect(added.map((record) => record.decision.cause)).toEqual(sent.flatMap((id) => [`signal:${id}`, `signal:${id}`]))
    expect(added.map((record) => record.decision.firstSeq)).toEqual([1, 1, 3, 3, 5, 5, 7, 7].map((at) => head + at))
    expect(new Set(added.map((record) => record.emittedAt)).size).toBe(1)
  })

  it('needs no wake-up: within a second the driver finds the row by itself [P-22]', async () => {
    const { world, process, key, ref } = await running()
    await signalRun(
      process.services,
      ref,
      { signalId: process.services.random.uuid(), signalType: 'PAUSE', payload: {} },
      SENDER,
    )
    await world.advanceBy(1000)
    expect(world.row(key).status).toBe('PAUSED')
  })

  it('a wake-up without anything to tell changes nothing [P-22]', async () => {
    const { world, process, key } = await running()
    const length = world.records(key).length
    for (let time = 0; time < 5; time += 1) process.engine.wake(key)
    await world.advanceBy(1000)
    expect(world.records(key)).toHaveLength(length)
    expect(world.called()).toEqual(['a#1/1'])
  })

  it('CANCEL takes no forceKill and gives five seconds; EMERGENCY_STOP cuts at once [SIG-06]', async () => {
    const { world, process, key } = await running()
    await process.signal(key, 'CANCEL', { forceKill: true })
    expect(world.records(key).at(-1)?.payload).toMatchObject({ reasonCode: 'SIGNAL_INVALID_PAYLOAD' })
    await process.signal(key, 'CANCEL', { reason: 'enough' })
    expect(world.row(key)).toMatchObject({ status: 'RUNNING', substatus: 'embedded/CANCELLING' })
    await world.advanceBy(5000)
    expect(world.row(key).status).toBe('CANCELLED')
    const stopped = await running()
    await stopped.process.signal(stopped.key, 'EMERGENCY_STOP', { reason: 'fire', forceKill: true })
    expect(stopped.world.row(stopped.key).status).toBe('CANCELLED')
    expect(stopped.world.time.now()).toBe(stopped.world.row(stopped.key).startedAt)
  })
})
