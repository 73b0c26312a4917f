/** Secrets, artifacts and context as a program meets them: through the front door, on real files. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { loadPlan, openKeelson, type StepFunctions } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'

let directory = ''
beforeEach(() => {
  directory = testFolder()
})

const planOf = (steps: string) => loadPlan(`plan: p\nversion: 1.0.0\n${steps}`)

const steps: StepFunctions = {
  whoami: (_input, { secrets }) => ({ length: secrets['key']?.length, told: secrets['key'] }),
  keep: async (_input, { artifacts }) => {
    await artifacts.put('old', { kind: 'report', expiresAt: '2001-01-01T00:00:00Z' })
    await artifacts.put('new', { kind: 'report', expiresAt: '2999-01-01T00:00:00Z' })
    await artifacts.put('always', { kind: 'report' })
  },
}

it('a secret in the file of the environment reaches the step, and only a mask comes out [SEC-08]', async () => {
  mkdirSync(join(directory, 'secrets', 'local'), { recursive: true })
  const file = join(directory, 'secrets', 'local', 'local.env')
  writeFileSync(file, 'API_KEY=canary-of-the-file\n')
  chmodSync(file, 0o600)
  await using keelson = await openKeelson({ directory, steps })
  const run = await keelson.start(
    planOf('steps: [{ id: a, run: whoami, secrets: { key: secret://API_KEY } }]\noutput: { got: "${steps.a.output}" }'),
  )
  expect((await run.result()).output).toEqual({ got: { length: 18, told: '***' } })
})

it('plans read no variable of the program but those made for them, those listed, or all of them [SEC-04]', async () => {
  const names = {
    OWN_VARIABLE_OF_A_TEST: 'canary-of-the-program',
    KEELSON_SECRET_OWN_VARIABLE_OF_A_TEST: 'made for plans',
  }
  for (const [name, value] of Object.entries(names)) vi.stubEnv(name, value)
  const plan = planOf(
    'steps: [{ id: a, run: whoami, secrets: { key: secret://OWN_VARIABLE_OF_A_TEST } }]\noutput: "${steps.a.output.length}"',
  )
  const read = async (environmentSecrets?: boolean | readonly string[]): Promise<unknown> => {
    const allowed = environmentSecrets === undefined ? {} : { environmentSecrets }
    await using keelson = await openKeelson({ directory: ':memory:', steps, ...allowed })
    const { output, error } = await (await keelson.start(plan)).result()
    return output ?? error?.code
  }
  expect(await read()).toBe(names.KEELSON_SECRET_OWN_VARIABLE_OF_A_TEST.length)
  expect(await read(true)).toBe(names.OWN_VARIABLE_OF_A_TEST.length)
  expect(await read(['OWN_VARIABLE_OF_A_TEST'])).toBe(names.OWN_VARIABLE_OF_A_TEST.length)
  vi.stubEnv('KEELSON_SECRET_OWN_VARIABLE_OF_A_TEST', undefined)
  expect(await read()).toBe('SECRET_NOT_FOUND')
  expect(await read(['OTHER'])).toBe('SECRET_NOT_FOUND')
  vi.unstubAllEnvs()
})

it('a file that others may read fails the step, and says how to mend it', async () => {
  mkdirSync(join(directory, 'secrets', 'local'), { recursive: true })
  writeFileSync(join(directory, 'secrets', 'local', 'local.env'), 'API_KEY=x\n', { mode: 0o644 })
  await using keelson = await openKeelson({ directory, steps })
  const run = await keelson.start(planOf('steps: [{ id: a, run: whoami, secrets: { key: secret://API_KEY } }]'))
  const { error } = await run.result()
  expect(error).toMatchObject({
    code: 'SECRETS_FILE_REFUSED',
    message: expect.stringContaining('0644, not 0600') as unknown,
  })
})

it('a provider of the program is asked for the scope of the run alone [SEC-04, SEC-10]', async () => {
  const vault = new Map([
    ['local/local/secret://key', 'of this environment'],
    ['local/prod/secret://prod-key', 'of production'],
    ['globex/local/secret://globex-key', 'of another tenant'],
  ])
  await using keelson = await openKeelson({
    directory,
    steps,
    replaceVersion: true,
    secrets: {
      resolve: async (refs, { tenantId, environmentId }) =>
        new Map(
          refs.flatMap((ref) => {
            const value = vault.get(`${tenantId}/${environmentId}/${ref}`)
            return value === undefined ? [] : [[ref, { value, version: '1' }] as const]
          }),
        ),
    },
  })
  const codeOf = async (ref: string) => {
    const run = await keelson.start(planOf(`steps: [{ id: a, run: whoami, secrets: { key: "${ref}" } }]`))
    return (await run.result()).error?.code ?? 'COMPLETED'
  }
  expect(await codeOf('secret://key')).toBe('COMPLETED')
  expect(await codeOf('secret://prod-key')).toBe('SECRET_NOT_FOUND')
  expect(await codeOf('secret://globex-key')).toBe('SECRET_NOT_FOUND')
})

it('artifacts past their time are flagged where they are listed [SEC-07]', async () => {
  await using keelson = await openKeelson({ directory, steps })
  const run = await keelson.start(planOf('steps: [{ id: a, run: keep }]'))
  await run.result()
  expect((await run.artifacts()).map(({ expiresAt, expired }) => [expiresAt, expired])).toEqual([
    ['2001-01-01T00:00:00Z', true],
    ['2999-01-01T00:00:00Z', undefined],
    [undefined, undefined],
  ])
})

it('the context of a run is complete once it has ended, and the same after it was opened again [CTX-06]', async () => {
  const plan = planOf(
    'context: { v: 0 }\nsteps: [{ id: a, run: one, capture: [{ destination: v }] }, { id: b, run: two }]',
  )
  const functions: StepFunctions = {
    one: () => 1,
    two: async (_input, { context }) => [...(await context()).steps.values()].map(({ stepId }) => stepId),
  }
  let runId = ''
  const look = async (keelson: Awaited<ReturnType<typeof openKeelson>>) => {
    const { execution, variables, steps: results } = await (await keelson.run(runId)).context()
    return {
      execution,
      variables,
      results: [...results.values()].map(({ stepId, status, output }) => ({ stepId, status, output })),
    }
  }
  const expected = {
    execution: expect.objectContaining({ correlationId: 'request-4', workflowId: 'p' }) as unknown,
    variables: { v: 1 },
    results: [
      { stepId: 'a', status: 'success', output: 1 },
      { stepId: 'b', status: 'success', output: ['a'] },
    ],
  }
  {
    await using keelson = await openKeelson({ directory, steps: functions })
    const run = await keelson.start(plan, {}, { correlationId: 'request-4' })
    runId = run.runId
    await run.result()
    expect(await look(keelson)).toEqual(expected)
  }
  await using again = await openKeelson({ directory, steps: functions })
  expect(await look(again)).toEqual(expected)
})

it('large outputs and captures lie in its file, and a fork takes the outputs along [P-16, P-43]', async () => {
  const large = 'x'.repeat(100 * 1024)
  const plan = planOf(`steps:
  - { id: a, run: make, capture: [{ destination: kept.text, transform: text }] }
  - { id: b, run: read, with: { output: "\${length(steps.a.output.text)}", kept: "\${length(context.kept.text)}" } }
  - { id: c, run: read, with: { again: "\${length(steps.a.output.text)}" } }
output: { read: "\${steps.b.output}" }`)
  let made = 0
  const functions: StepFunctions = { make: () => ({ text: large, made: (made += 1) }), read: (input: unknown) => input }
  const expected = { read: { output: large.length, kept: large.length } }
  let runId = ''
  {
    await using keelson = await openKeelson({ directory, steps: functions })
    const run = await keelson.start(plan)
    runId = run.runId
    expect((await run.result()).output).toEqual(expected)
  }
  await using again = await openKeelson({ directory, steps: functions })
  expect((await (await again.run(runId)).context()).variables).toEqual({ kept: { text: large } })
  const fork = await again.fork(runId, { from: 'c' })
  expect((await fork.result()).output).toEqual(expected)
  expect(made).toBe(1)
  expect(await again.maintenance.verify(fork.row)).toMatchObject({ decisions: { differences: [], notDerivable: [] } })
})
