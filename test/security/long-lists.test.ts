/** Lists that a stranger makes as long as they like: none of them may exhaust the stack of the process. */
import { describe, expect, it } from 'vitest'
import { secretForms } from '../../src/app/redact/forms.ts'
import { loadPlan, openKeelson, type StepContext } from '../../src/main.ts'
import { secretsOf } from '../fixtures/known-secrets.ts'

const linesOf = (count: number): string =>
  Array.from({ length: count }, (_, line) => `line ${String(line).padStart(9, '0')} of it`).join('\n')

const PLAN = loadPlan(
  'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f, secrets: { key: "secret://team/key" }, retry: { maxAttempts: 1 } }]',
)

async function ran(secret: string) {
  let called = 0
  const steps = {
    f: (_: unknown, context: StepContext) => {
      called += 1
      return { first: context.secrets['key']?.split('\n')[0], last: context.secrets['key']?.split('\n').at(-1) }
    },
  }
  const secrets = secretsOf({ 'secret://team/key': secret })
  await using keelson = await openKeelson({ directory: ':memory:', secrets, steps })
  const run = await keelson.start(PLAN)
  const { status } = await run.result()
  return { status, called, records: await run.records() }
}

describe('a secret of many lines', () => {
  it('has forms to be searched for, also with 130,000 of them', { timeout: 120_000 }, () => {
    expect(secretForms(linesOf(130_000)).shortest).toBe('line 000000000 of it'.length)
  })

  it('of 256 KiB is handed to its step, and no line of it is written down', async () => {
    const secret = linesOf(20_000).slice(0, 256 * 1024)
    const { status, called, records } = await ran(secret)
    expect([status, called]).toEqual(['COMPLETED', 1])
    expect(JSON.stringify(records)).not.toContain('line 000000000 of it')
    expect(JSON.stringify(records)).toContain('"first"')
  })

  it('of one byte more is refused by its reference, before the step is called', async () => {
    const { status, called, records } = await ran(linesOf(20_000).slice(0, 256 * 1024 + 1))
    expect([status, called]).toEqual(['FAILED', 0])
    const failed = records.find(({ eventType }) => eventType === 'StepFailed')
    expect(failed?.payload).toMatchObject({ final: true, error: { code: 'SECRET_TOO_LARGE', retryable: false } })
    expect(JSON.stringify(failed?.data)).toContain("secret://team/key of step 'a' has more than 262144 bytes")
    expect(JSON.stringify(records)).not.toContain('line 000000000')
  })
})
