/** A turn that brings outcomes reads nothing first (P-53), and yet decides nothing past a letter or a pause that was there before its commit. */
import { describe, expect, it } from 'vitest'
import { pauseScope } from '../../src/app/inbox/scope-pauses.ts'
import type { EffectOutcome } from '../../src/ports/engine.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { World } from '../fixtures/virtual-world.ts'

const CHAIN = `steps: [{ id: a, run: f }, { id: b, run: f }, { id: c, run: f }]`

const done = (slot: string): EffectOutcome => ({
  slot,
  attempt: 1,
  engineAttempt: 1,
  result: { kind: 'completed', output: null, artifactRefs: [], durationMs: 1 },
})

/** The names of all calls, and something done once just before a commit. */
function watched(calls: string[], beforeCommit: { act?: (() => Promise<unknown>) | undefined } = {}) {
  return (store: RunStore): RunStore =>
    new Proxy(store, {
      get(target, name: keyof RunStore) {
        const value = target[name]
        if (typeof value !== 'function') return value
        return async (...args: unknown[]): Promise<unknown> => {
          calls.push(name)
          const { act } = beforeCommit
          if (name === 'commit') delete beforeCommit.act
          if (name === 'commit') await act?.()
          return (value as (...all: unknown[]) => unknown).apply(target, args)
        }
      },
    })
}

describe('a turn that brings an outcome', () => {
  it('is one commit and no read, from the start of the run to its end [P-53]', async () => {
    const world = new World({ seed: 'no reads' })
    const calls: string[] = []
    const process = world.process('one', { wrapStore: watched(calls) })
    const { row } = await process.create(CHAIN)
    calls.length = 0
    for (const slot of ['a', 'b', 'c']) await process.advancer.advance(row.runKey, { reports: [done(slot)] })
    expect(world.row(row.runKey).status).toBe('COMPLETED')
    expect(calls).toEqual(['commit', 'commit', 'commit'])
  })

  it('takes a signal in that came after it was decided and before it was committed [P-53, P-06, P-21]', async () => {
    const world = new World({ seed: 'letter' })
    const calls: string[] = []
    const gap: { act?: () => Promise<unknown> } = {}
    const process = world.process('one', { wrapStore: watched(calls, gap) })
    const { row } = await process.create(CHAIN)
    const other = world.process('two')
    gap.act = () => other.signal(row.runKey, 'CANCEL', { reason: 'stop before b' })
    calls.length = 0
    await process.advancer.advance(row.runKey, { reports: [done('a')] })
    // The second commit has the outcome and the signal: it was handed back, so nothing had to be read.
    expect(calls).toEqual(['commit', 'commit'])
    expect(world.log(row.runKey, 'StepCompleted')).toHaveLength(1)
    expect(world.log(row.runKey, 'SignalAccepted')).toHaveLength(1)
    expect(world.disk.runs[row.runKey - 1]?.pending.size).toBe(0)
  })

  it('obeys a pause of its plan that came in between, and starts nothing after it [P-53, P-23]', async () => {
    const world = new World({ seed: 'pause' })
    const gap: { act?: () => Promise<unknown> } = {}
    const process = world.process('one', { wrapStore: watched([], gap) })
    const { row } = await process.create(CHAIN)
    gap.act = () =>
      pauseScope(process.services, { setBy: 'ana', tenantId: row.tenantId, scope: 'tenant', reason: 'fire drill' })
    await process.advancer.advance(row.runKey, { reports: [done('a')] })
    expect(world.row(row.runKey).status).toBe('PAUSED')
    expect(world.log(row.runKey, 'StepStarted')).toHaveLength(1)
  })

  it('says nothing new: then the inbox is read all the same [P-53, P-21]', async () => {
    const world = new World({ seed: 'stale' })
    const calls: string[] = []
    const process = world.process('one', { wrapStore: watched(calls) })
    const { row } = await process.create(CHAIN)
    await process.advancer.advance(row.runKey, { reports: [done('a')] })
    await world.process('two').signal(row.runKey, 'CANCEL', { reason: 'enough' })
    calls.length = 0
    await process.advancer.advance(row.runKey, { reports: [done('a')] })
    expect(calls).toContain('readInbox')
    expect(world.log(row.runKey, 'SignalAccepted')).toHaveLength(1)
  })
})

it('a run that is started while its tenant is paused starts paused, and a read is made only then [P-53, P-23]', async () => {
  const world = new World({ seed: 'paused start' })
  const calls: string[] = []
  const process = world.process('one', { wrapStore: watched(calls) })
  await process.create(CHAIN)
  expect(calls).not.toContain('readScopePauses')
  const { tenantId } = world.row(1)
  await pauseScope(process.services, { setBy: 'ana', tenantId, scope: 'tenant' })
  const { row } = await process.create(CHAIN, { runId: 'second' })
  expect(world.row(row.runKey).status).toBe('PAUSED')
  expect(world.log(row.runKey, 'StepStarted')).toHaveLength(0)
})
