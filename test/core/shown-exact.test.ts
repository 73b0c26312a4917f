/** What a program sees of steps, secrets and artifacts through the library, by its exact values. */
import { describe, expect, it } from 'vitest'
import { loadPlan, openKeelson, type StepContext } from '../../src/main.ts'
import { secretsOf } from '../fixtures/known-secrets.ts'

const THREE = loadPlan(`plan: three
version: 1.0.0
policy: { onFailure: hold }
steps:
  - { id: a, run: first, retry: { maxAttempts: 1 } }
  - { id: b, run: next }
  - { id: c, run: next }`)

describe('steps that have not started', () => {
  it('are PENDING from the beginning, and a step to be retried is PENDING as attempt 2 while the run is paused [SSM-22]', async () => {
    let calls = 0
    let goOn = (): void => undefined
    const held = new Promise<void>((resolve) => (goOn = resolve))
    const steps = {
      first: async () => {
        calls += 1
        if (calls === 1) await held
        if (calls === 1) throw new Error('not today')
        return calls
      },
      next: () => 1,
    }
    await using keelson = await openKeelson({ directory: ':memory:', pollMs: 20, steps })
    const run = await keelson.start(THREE)
    const seen = async () =>
      (await run.snapshot()).steps.map(({ stepId, status, logicalAttemptId }) => [stepId, status, logicalAttemptId])
    expect(await seen()).toEqual([
      ['a', 'RUNNING', 1],
      ['b', 'PENDING', 1],
      ['c', 'PENDING', 1],
    ])
    await run.signal('PAUSE')
    goOn()
    await expect.poll(async () => (await run.snapshot()).steps[0]?.status).toBe('FAILED')
    expect((await run.snapshot()).status).toBe('PAUSED')
    await run.signal('RETRY_STEP', { stepId: 'a' })
    expect(await seen()).toEqual([
      ['a', 'PENDING', 2],
      ['b', 'PENDING', 1],
      ['c', 'PENDING', 1],
    ])
    expect(calls).toBe(1)
    await run.signal('RESUME')
    expect((await run.result()).status).toBe('COMPLETED')
    expect((await seen())[0]).toEqual(['a', 'SUCCESS', 2])
  })
})

describe('secrets', () => {
  it('are resolved where the step runs and only for it, by reference, tenant and environment [SEC-02]', async () => {
    const secrets = secretsOf((ref) => `value of ${ref}`)
    const { asked } = secrets
    const seen: unknown[] = []
    const steps = {
      plain: (_: unknown, context: StepContext) => void seen.push([asked.length, context.secrets['key']]),
      uses: (_: unknown, context: StepContext) => void seen.push([asked.length, context.secrets['key']]),
    }
    await using keelson = await openKeelson({ directory: ':memory:', tenantId: 'acme', secrets, steps })
    const run = await keelson.start(
      loadPlan(
        'plan: s\nversion: 1.0.0\nsteps:\n  - { id: a, run: plain }\n  - { id: b, run: uses, secrets: { key: "secret://team/key" } }\n  - { id: c, run: plain }',
      ),
    )
    expect((await run.result()).status).toBe('COMPLETED')
    expect(asked).toEqual([
      {
        refs: ['secret://team/key'],
        scope: { tenantId: 'acme', environmentId: 'local', projectId: 'default', runId: run.runId },
      },
    ])
    expect(seen).toEqual([
      [0, undefined],
      [1, 'value of secret://team/key'],
      [1, undefined],
    ])
  })
})

describe('artifacts', () => {
  it('are pointers into any store, with kind, hash, size and end, as the step named them [SEC-05]', async () => {
    const refs = [
      { uri: 's3://bucket/manifest.json', kind: 'dbt-manifest', sha256: 'a'.repeat(64), sizeBytes: 12 },
      { uri: 'gs://bucket/results.json', kind: 'dbt-run-results', expiresAt: '2099-01-01T00:00:00Z' },
      { uri: 'azure://container/logs.zip', kind: 'log-bundle' },
    ]
    const steps = {
      make: (_: unknown, { addArtifact }: StepContext) => {
        for (const ref of refs) addArtifact(ref)
        return 'made'
      },
    }
    await using keelson = await openKeelson({ directory: ':memory:', steps })
    const run = await keelson.start(loadPlan('plan: m\nversion: 1.0.0\nsteps: [{ id: a, run: make }]'))
    expect((await run.result()).status).toBe('COMPLETED')
    const completed = (await run.records()).find(({ eventType }) => eventType === 'StepCompleted')
    expect(completed?.payload?.['artifactRefs']).toEqual(refs)
    expect((await run.snapshot()).artifacts).toEqual(refs)
  })
})
