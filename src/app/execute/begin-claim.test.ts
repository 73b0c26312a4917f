/** Who may begin an irreversible attempt: the first claimant, once, whatever became of the store's answer. */
import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { Effect } from '../../core/run/effect.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { BeginClaims } from './begin-claim.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { Services } from '../services.ts'

const EFFECT: Extract<Effect, { kind: 'ExecuteStep' }> = {
  kind: 'ExecuteStep',
  id: 'ExecuteStep:pay:1:1',
  slot: 'pay',
  attempt: 1,
  engineAttempt: 1,
}

async function storeWithRun(): Promise<RunStore> {
  const store = openMemoryStore({ clock: { now: () => 0 } })
  await store.commit([
    {
      create: {
        runId: 'r1',
        tenantId: 'local',
        projectId: 'p',
        environmentId: 'e',
        planId: 'plan',
        planVersion: '1.0.0',
        planSha256: '0'.repeat(64),
        engineType: 'embedded',
        engineRunRef: 'embedded://r1',
      },
      expected: { epoch: 1, nextSeq: 1 },
      events: [],
      summary: { status: 'RUNNING', rulesVersion: 1, minRulesVersion: 1, stepsTotal: 1, stepsDone: 0, stepsFailed: 0 },
    },
  ])
  return store
}

/** The claims of one process; its name is what its randomness gives. */
function claimsOf(store: RunStore, name: string): BeginClaims {
  return new BeginClaims({ store, random: { uuid: () => name, bytes: (length) => new Uint8Array(length) } } as Services)
}

const run = (epoch: number): LoadedRun => ({ row: { runKey: 1 }, epoch }) as LoadedRun

describe('a begin-claim', () => {
  it('is given to the first process and to no other [P-28]', async () => {
    const store = await storeWithRun()
    expect(await claimsOf(store, 'first').take(run(1), EFFECT)).toBe('mine')
    expect(await claimsOf(store, 'second').take(run(1), EFFECT)).toBe('taken')
  })

  it('knows a repeat of what this process has begun, and a take-over by itself under a later epoch [P-03, P-28]', async () => {
    const store = await storeWithRun()
    const claims = claimsOf(store, 'first')
    await claims.take(run(1), EFFECT)
    expect(await claims.take(run(1), EFFECT)).toBe('repeat')
    claims.forget(1)
    expect(await claims.take(run(2), { ...EFFECT, engineAttempt: 2, id: 'ExecuteStep:pay:1:2' })).toBe('taken')
  })

  it('is recognised as its own when the answer to it got lost [P-10, P-28]', async () => {
    const store = await storeWithRun()
    let answers = 0
    const lossy: RunStore = {
      ...store,
      claimAttempt: async (runKey, claim) => {
        const given = await store.claimAttempt(runKey, claim)
        answers += 1
        if (answers === 1) throw new KeelsonError([problem('STORE_UNAVAILABLE', 'the answer got lost')])
        return given
      },
    }
    const claims = claimsOf(lossy, 'first')
    await expect(claims.take(run(1), EFFECT)).rejects.toThrow('got lost')
    expect(await claims.take(run(1), EFFECT)).toBe('mine')
  })

  it('that was given back may be taken again by the same process only [P-28]', async () => {
    const store = await storeWithRun()
    const claims = claimsOf(store, 'first')
    await claims.take(run(1), EFFECT)
    claims.giveBack(run(1), EFFECT)
    expect(await claimsOf(store, 'second').take(run(1), EFFECT)).toBe('taken')
    expect(await claims.take(run(1), EFFECT)).toBe('mine')
  })
})
