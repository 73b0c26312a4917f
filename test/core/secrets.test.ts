/** Secrets on their way to a step: asked for when it is called, for its own scope, and never told to anybody else. */
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { RunRedactors } from '../../src/app/redact/run-redactors.ts'
import type { Services } from '../../src/app/services.ts'
import type { SecretScope, SecretsProvider } from '../../src/ports/secrets.ts'
import { secretsOf } from '../fixtures/known-secrets.ts'
import { World, type Behaviour } from '../fixtures/virtual-world.ts'

const VALUE = 'canary-7f3a-value'

function provider(values: () => Readonly<Record<string, string>>) {
  const secrets = secretsOf((ref) => values()[ref])
  return { secrets, redactors: new RunRedactors() }
}

const STEP = 'steps: [{ id: a, run: f, secrets: { key: "secret://team/key" }, retry: { maxAttempts: 1 } }]'

async function ran(behaviour: Behaviour, services: Partial<Services>, plan = STEP) {
  const world = new World()
  const process = world.process('p', { script: { f: behaviour }, services })
  const run = await process.start(plan)
  await world.runUntil(() => world.hasEnded(run))
  const records = world.records(run)
  const last = (eventType: string) => records.findLast((record) => record.eventType === eventType)
  return { world, run, records, last, status: world.row(run).status }
}

it('are asked for by the attempt that uses them, for the tenant and environment of its run [SEC-02]', async () => {
  const services = provider(() => ({ 'secret://team/key': VALUE }))
  const { asked } = services.secrets
  let seen: string | undefined
  const before: number[] = []
  const { run, world, status } = await ran(
    ({ context }) => {
      before.push(asked.length)
      seen = context.secrets['key']
      if (before.length === 1) throw new Error('once more')
      return {}
    },
    services,
    'steps: [{ id: x, run: g }, { id: a, run: f, secrets: { key: "secret://team/key" } }, { id: y, run: g }]',
  )
  const { tenantId, environmentId, runId } = world.row(run)
  expect({ seen, status }).toEqual({ seen: VALUE, status: 'COMPLETED' })
  expect(before).toEqual([1, 2])
  const scope = expect.objectContaining({ tenantId, environmentId, runId }) as SecretScope
  expect(asked).toEqual([
    { refs: ['secret://team/key'], scope },
    { refs: ['secret://team/key'], scope },
  ])
})

it('that are not known fail the attempt for good, naming the reference [SEC-04, SEC-10]', async () => {
  const { world, last, status } = await ran(
    () => ({}),
    provider(() => ({})),
  )
  expect(world.calls).toEqual([])
  expect(status).toBe('FAILED')
  expect(last('StepFailed')).toMatchObject({
    payload: { final: true, error: { code: 'SECRET_NOT_FOUND', retryable: false, errorClass: 'permanent' } },
  })
  expect(JSON.stringify(last('StepFailed')?.data)).toContain('secret://team/key')
})

it('of a process without a provider are not known', async () => {
  const { last } = await ran(() => ({}), {})
  expect(last('StepFailed')?.payload).toMatchObject({ error: { code: 'SECRET_NOT_FOUND' } })
})

it('of a provider that does not answer fail the attempt, which is tried again [SEC-03]', async () => {
  let times = 0
  const secrets: SecretsProvider = {
    resolve: async () => {
      times += 1
      if (times === 1) throw new Error(`cannot connect with password ${VALUE}`)
      return new Map([['secret://team/key', { value: VALUE, version: '1' }]])
    },
  }
  const services = { secrets, redactors: new RunRedactors() }
  const plan = 'steps: [{ id: a, run: f, secrets: { key: "secret://team/key" }, retry: { maxAttempts: 2 } }]'
  const { records, status } = await ran(() => ({}), services, plan)
  expect(status).toBe('COMPLETED')
  const failed = records.find((record) => record.eventType === 'StepFailed')
  expect(failed?.payload).toMatchObject({ final: false, error: { code: 'SECRET_UNAVAILABLE', retryable: true } })
  expect(JSON.stringify(records)).not.toContain(VALUE)
})

it('show nowhere in the context they come with [CTX-04]', async () => {
  const shown: string[] = []
  await ran(
    ({ context }) => {
      const { secrets } = context
      shown.push(JSON.stringify(context), JSON.stringify(secrets), JSON.stringify({ ...secrets }), String(secrets))
      shown.push(inspect(context, { depth: 9 }), inspect(secrets, { showHidden: true }), JSON.stringify({ ...context }))
      shown.push(inspect(secrets, { showHidden: true, customInspect: false }), inspect(structuredClone({ ...secrets })))
      shown.push(Object.keys(secrets).join(), Object.values(context).map(String).join())
      return { length: secrets['key']?.length }
    },
    provider(() => ({ 'secret://team/key': VALUE })),
  )
  expect(shown).toHaveLength(11)
  expect(shown.filter((text) => text.includes(VALUE))).toEqual([])
})

it('are masked in what the step throws: message, stack, code, and a cause is not told [SEC-08, SEC-03]', async () => {
  const { last } = await ran(
    ({ context }) => {
      const key = context.secrets['key'] ?? ''
      const cause = new Error(`inner ${key}`)
      throw Object.assign(new Error(`refused: ${key} and ${encodeURIComponent(key)}`, { cause }), {
        code: 'NOT_SO',
        config: { headers: { authorization: key } },
      })
    },
    provider(() => ({ 'secret://team/key': VALUE })),
  )
  const failed = last('StepFailed')
  expect(failed?.payload).toMatchObject({ error: { code: 'NOT_SO' } })
  expect(failed?.data).toMatchObject({ errorText: { message: 'refused: *** and ***' } })
  expect(JSON.stringify(failed)).not.toContain(VALUE)
  expect(JSON.stringify(failed)).toContain('*** and ***\\n    at ')
})

it('are not told by an error code that is one [SEC-08]', async () => {
  const { last } = await ran(
    ({ context }) => {
      throw Object.assign(new Error('no'), { code: context.secrets['key'] })
    },
    provider(() => ({ 'secret://team/key': 'CANARY_AS_CODE' })),
  )
  expect(last('StepFailed')?.payload).toMatchObject({ error: { code: 'HANDLER_FAILED' } })
})

it('leave not even a piece where a long error text is cut [SEC-08]', async () => {
  const { last } = await ran(
    ({ context }) => {
      throw new Error('x'.repeat(8192 - 10) + (context.secrets['key'] ?? ''))
    },
    provider(() => ({ 'secret://team/key': VALUE })),
  )
  const told = last('StepFailed')?.data?.['errorText'] as { message: string } | undefined
  expect(told?.message.slice(8192 - 10)).toBe('***')
})

it('are masked in outputs, and so in captures, in the context and in what the next step reads [SEC-08]', async () => {
  const { world, records, run } = await ran(
    ({ context, name }) =>
      name === 'f' ? { token: `Bearer ${context.secrets['key']}`, [`k-${context.secrets['key']}`]: 1 } : null,
    provider(() => ({ 'secret://team/key': VALUE })),
    `steps:
  - { id: a, run: f, secrets: { key: "secret://team/key" }, capture: [{ destination: kept, transform: token }] }
  - { id: b, run: g, with: { from: '\${steps.a.output.token}', kept: '\${context.kept}' } }
output: { all: '\${steps.a.output}' }`,
  )
  expect(world.calls.find((call) => call.name === 'g')?.input).toEqual({ from: 'Bearer ***', kept: 'Bearer ***' })
  const everything = JSON.stringify(records) + JSON.stringify(world.disk.runs[run - 1]?.row)
  expect(everything).toContain('"k-***":1')
  expect(everything).not.toContain(VALUE)
})

it('of one step are masked in the output of another that came by them [SEC-03]', async () => {
  let kept = ''
  const world = new World()
  const script = {
    f: ({ context }: { context: { secrets: Readonly<Record<string, string>> } }) =>
      void (kept = context.secrets['key'] ?? ''),
    g: () => ({ kept }),
  }
  const process = world.process('p', { script, services: provider(() => ({ 'secret://team/key': VALUE })) })
  const run = await process.start(
    'steps: [{ id: a, run: f, secrets: { key: "secret://team/key" } }, { id: b, run: g }]',
  )
  await world.runUntil(() => world.hasEnded(run))
  expect(kept).toBe(VALUE)
  expect(world.records(run).findLast((record) => record.eventType === 'StepCompleted')?.data).toEqual({
    result: { kept: '***' },
  })
})

it('that were rotated are tried once more after a refusal, within the attempt and under the same key', async () => {
  const values = ['old-value', 'new-value', 'newer-value']
  let asked = 0
  const calls: string[] = []
  const refusing: Behaviour = ({ context }) => {
    calls.push(`${context.attempt} ${context.secrets['key']} ${context.idempotencyKey}`)
    if (context.secrets['key'] !== 'new-value') throw Object.assign(new Error('who are you?'), { status: 401 })
    return 'in'
  }
  const { records, status } = await ran(
    refusing,
    provider(() => ({ 'secret://team/key': values[asked++] ?? '' })),
  )
  expect(status).toBe('COMPLETED')
  expect(calls.map((call) => call.split(' ').slice(0, 2).join(' '))).toEqual(['1 old-value', '1 new-value'])
  expect(new Set(calls.map((call) => call.split(' ')[2])).size).toBe(1)
  expect(records.filter((record) => record.eventType === 'StepStarted')).toHaveLength(1)
})

it('that are the same as before, or of an irreversible step, are not tried again', async () => {
  for (const effect of ['idempotent', 'irreversible']) {
    let asked = 0
    const { world, status } = await ran(
      () => {
        throw Object.assign(new Error('who are you?'), { status: 401 })
      },
      provider(() => ({ 'secret://team/key': effect === 'irreversible' ? `value-${(asked += 1)}` : 'same-value' })),
      `steps: [{ id: a, run: f, effect: ${effect}, secrets: { key: "secret://team/key" } }]`,
    )
    expect([effect, world.calls.length, status]).toEqual([effect, 1, 'FAILED'])
  }
})
