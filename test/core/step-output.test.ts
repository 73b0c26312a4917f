/** What a handler may hand over is checked where it comes in, and what became of a step has one stated shape. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { ArtifactRef } from '../../src/core/events/event.ts'
import { checkOf } from '../../src/core/schema/check.ts'
import { STEP_OUTPUT, type StepOutput } from '../../src/core/view/fold/step-output.ts'
import { loadPlan, openKeelson, type StepFunctions } from '../../src/main.ts'

const check = checkOf(STEP_OUTPUT.schema)
const ARTIFACT = { uri: 's3://bucket/manifest.json', kind: 'dbt-manifest', sizeBytes: 12 }

/** The step's output as the library gives it, after the run has ended. */
async function outputOf(handler: StepFunctions[string], extra = ''): Promise<StepOutput | undefined> {
  await using keelson = await openKeelson({ directory: ':memory:', steps: { f: handler } })
  const plan = `plan: p\nversion: 1.0.0\npolicy: { retry: { maxAttempts: 1 } }\nsteps: [{ id: a, run: f${extra} }]`
  const run = await keelson.start(loadPlan(plan))
  await run.result()
  return await run.stepOutput('a')
}

describe('the type of a step output', () => {
  it('has status, artifacts and perhaps an error, and nothing else [SEC-06]', () => {
    expectTypeOf<StepOutput['status']>().toEqualTypeOf<'SUCCESS' | 'FAILED' | 'SKIPPED'>()
    expectTypeOf<StepOutput['artifactRefs']>().toEqualTypeOf<readonly ArtifactRef[]>()
    expectTypeOf<keyof StepOutput>().toEqualTypeOf<'status' | 'artifactRefs' | 'error'>()
    expectTypeOf<NonNullable<StepOutput['error']>>().toExtend<{
      readonly category: string
      readonly code?: string
      readonly message: string
      readonly retryable?: boolean
    }>()
    expectTypeOf<{ status: 'DONE'; artifactRefs: [] }>().not.toExtend<StepOutput>()
    expectTypeOf<{ status: 'SUCCESS' }>().not.toExtend<StepOutput>()
    expect(check({ status: 'SUCCESS', artifactRefs: [] } satisfies StepOutput)).toBeUndefined()
  })

  it.each([
    ['another status', { status: 'CANCELLED', artifactRefs: [] }],
    ['no artifacts', { status: 'SUCCESS' }],
    ['an artifact without its place', { status: 'SUCCESS', artifactRefs: [{ kind: 'log-bundle' }] }],
    ['bytes for an artifact', { status: 'SUCCESS', artifactRefs: [new Uint8Array([1])] }],
    ['an error without a category', { status: 'FAILED', artifactRefs: [], error: { message: 'x' } }],
    ['an error without a message', { status: 'FAILED', artifactRefs: [], error: { category: 'business' } }],
    [
      'a retryable that is no flag',
      { status: 'FAILED', artifactRefs: [], error: { category: 'b', message: 'x', retryable: 1 } },
    ],
  ])('is checked at run time too: %s does not fit [SEC-06]', (_what, value) => {
    expect(check(value)).toEqual(expect.any(String))
  })
})

describe('a step', () => {
  it('that returned gives SUCCESS and its artifacts; what it returned is not among them [SEC-06]', async () => {
    const output = await outputOf((_input: never, { addArtifact }) => {
      addArtifact(ARTIFACT)
      return { large: 'value' }
    })
    expect(output).toEqual({ status: 'SUCCESS', artifactRefs: [ARTIFACT] })
  })

  it('that threw gives FAILED, the artifacts it had by then, and the error with its category [SEC-06]', async () => {
    const output = await outputOf((_input: never, { addArtifact }) => {
      addArtifact(ARTIFACT)
      throw Object.assign(new Error('no such order'), { name: 'ConflictError', code: 'ORDER_GONE' })
    })
    expect(output).toEqual({
      status: 'FAILED',
      artifactRefs: [ARTIFACT],
      error: { category: 'business', code: 'ORDER_GONE', message: 'no such order', retryable: false },
    })
  })

  it('that was not to run gives SKIPPED [SEC-06]', async () => {
    const output = await outputOf(() => 1, `, if: 'input.go'`)
    expect(output).toEqual({ status: 'SKIPPED', artifactRefs: [] })
  })

  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  it.each([
    ['a function', () => () => 1],
    ['a big integer', () => ({ count: 10n })],
    ['a circle', () => circular],
    ['bytes', () => ({ file: Buffer.from('%PDF') })],
    ['a Map', () => new Map([['a', 1]])],
    ['a number that JSON has none for', () => ({ rate: Number.NaN })],
    [
      'an artifact that is no pointer',
      (_input: never, { addArtifact }: { addArtifact: (one: never) => void }) =>
        void addArtifact({ kind: 'log-bundle', body: 'the log itself' } as never),
    ],
  ])('that hands over %s fails where it comes in, and says so in the same shape [SEC-06]', async (_what, handler) => {
    const output = await outputOf(handler as StepFunctions[string])
    expect(output).toMatchObject({
      status: 'FAILED',
      artifactRefs: [],
      error: { category: 'validation', code: 'OUTPUT_INVALID', retryable: false },
    })
    expect(check(output)).toBeUndefined()
  })

  it.each([
    ['nothing', undefined],
    ['a text', 'it broke'],
    ['a number', 7],
    ['an object with odd fields', { message: 7, code: {}, retryable: 'yes', category: [] }],
  ])('that throws %s gives an error of the same shape [SEC-06]', async (_what, thrown) => {
    const output = await outputOf(() => {
      throw thrown
    })
    expect(output?.status).toBe('FAILED')
    expect(check(output)).toBeUndefined()
  })
})
