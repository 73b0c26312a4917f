/**
 * What a step brings out — its output, its artifacts, what is captured of it, what it throws — is taken up to its limit. Beyond
 * it the attempt fails for good; the run is never set aside, and its process goes on. Texts for people are cut instead.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { loadPlan, openKeelson, type Keelson, type StepContext } from '../../src/main.ts'
import { textOf } from '../fixtures/limit-doors.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'

const PATIENCE_MS = 120_000
/** One byte of text, six bytes of JSON. */
const CONTROL = '\u0001'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
}, PATIENCE_MS)
afterAll(() => server.stop())

type Act = (context: StepContext) => unknown

const pointers = (count: number, uri: (at: number) => string): Act => {
  return (context) => {
    for (let at = 0; at < count; at += 1) context.addArtifact({ uri: uri(at), kind: 'file' })
    return 'done'
  }
}
/** So many pointers of one size that their list, as it is measured, has exactly these bytes. */
const pointersOf = (bytes: number): Act => {
  const EMPTY = JSON.stringify({ artifactRefs: [] }).length
  const one = JSON.stringify({ kind: 'file', uri: 'u'.repeat(100) }).length + 1
  const whole = Math.floor((bytes - EMPTY) / one) - 1
  const rest = bytes - EMPTY - whole * one - JSON.stringify({ kind: 'file', uri: '' }).length
  return pointers(whole + 1, (at) => 'u'.repeat(at === whole ? rest : 100))
}
const throwing = (message: string): Act => {
  return () => {
    throw new Error(message)
  }
}
const failing = (act: Act): Act => {
  return (context) => {
    act(context)
    throw new Error('the crane is stuck')
  }
}
/** Asked twice, it says two things. */
const twoFaced: Act = (context) => {
  let asked = 0
  const artifact = {
    kind: 'file',
    get uri() {
      return (asked += 1) > 1 ? 'u'.repeat(100_000) : 'u'
    },
  }
  context.addArtifact(artifact)
  return 'done'
}

const OUTPUT = 'OUTPUT_INVALID'
const CAPTURED = 'DECISION_DATA_TOO_LARGE'
const CASES: readonly (readonly [string, Act, string, string?])[] = [
  ['an output of exactly its limit', () => textOf(LIMITS.valueBytes - 2), 'COMPLETED'],
  ['an output of one byte more', () => textOf(LIMITS.valueBytes - 1), OUTPUT],
  ['an artifact with a name of exactly its limit', pointers(1, () => 'u'.repeat(LIMITS.nameBytes)), 'COMPLETED'],
  ['an artifact with a name of one byte more', pointers(1, () => 'u'.repeat(LIMITS.nameBytes + 1)), OUTPUT],
  ['an artifact with half a character in its name', pointers(1, () => 'u\ud800'), OUTPUT],
  ['an artifact that is another one when it is asked again', twoFaced, 'COMPLETED'],
  ['artifacts of exactly their limit', pointersOf(LIMITS.namedByStepBytes), 'COMPLETED'],
  ['artifacts of one byte more', pointersOf(LIMITS.namedByStepBytes + 1), OUTPUT],
  ['thousands of artifacts', pointers(5_000, (at) => `s3://bucket/${at}`), OUTPUT],
  ['artifacts named by control characters', pointers(60, () => CONTROL.repeat(255)), OUTPUT],
  ['thousands of artifacts before it fails', failing(pointers(5_000, (at) => `s3://b/${at}`)), 'HANDLER_FAILED'],
  ['an artifact with half a character before it fails', failing(pointers(1, () => 'u\udfff')), 'HANDLER_FAILED'],
  ['an error text of control characters', throwing(CONTROL.repeat(100_000)), 'HANDLER_FAILED'],
  ['an error text cut inside a character', throwing(`a${'😀'.repeat(10_000)}`), 'HANDLER_FAILED'],
  ['an error text of half characters', throwing('\ud800'.repeat(10_000)), 'HANDLER_FAILED'],
  [
    'an answer that its schema refuses in a text cut inside a character',
    () => 1,
    OUTPUT,
    `outputSchema: { enum: ["a${'😀'.repeat(600)}"] }`,
  ],
  [
    'a thousand captured paths',
    () => 1,
    CAPTURED,
    `capture: [${Array.from({ length: 1_000 }, (_, at) => `{ destination: v${at}${'x'.repeat(40)} }`).join(', ')}]`,
  ],
  [
    'a captured value of more than its limit with others',
    () => 'x'.repeat(LIMITS.valueBytes / 2),
    CAPTURED,
    'capture: [{ destination: a }, { destination: b }]',
  ],
]

describe.each(['memory', 'sqlite', 'postgres'] as const)('on the %s store', (kind) => {
  let keelson: Keelson
  let folder = ''
  let act: Act = () => undefined
  const isLasting = kind !== 'memory'

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-limits-'))
    const connectionString = kind === 'postgres' ? await server.createDatabase('steps') : ''
    const store =
      kind === 'postgres'
        ? { store: await openPostgresStore({ connectionString }), keysDirectory: join(folder, 'keys') }
        : {}
    const steps = { act: (_: unknown, context: StepContext) => act(context) }
    keelson = await openKeelson({ directory: isLasting ? folder : ':memory:', pollMs: 20, steps, ...store })
  }, PATIENCE_MS)
  afterAll(async () => {
    await keelson.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(CASES.map(([name, does, end, more]) => ({ name, does, end, more })))(
    '$name: its run is not set aside',
    { timeout: PATIENCE_MS },
    async ({ name, does, end, more }) => {
      act = does
      const id = `p${CASES.findIndex(([one]) => one === name)}`
      const run = await keelson.start(
        loadPlan(
          `plan: ${id}\nversion: 1.0.0\nsteps:\n  - { id: a, run: act, retry: { maxAttempts: 1 }${more === undefined ? '' : `, ${more}`} }`,
        ),
      )
      const result = await run.result()
      expect([result.status, result.error?.code]).toEqual(end === 'COMPLETED' ? [end, undefined] : ['FAILED', end])
      expect(await run.trouble()).toBeUndefined()
      const texts = (await run.records()).map(({ data }) => JSON.stringify(data?.['errorText'] ?? ''))
      expect(texts.filter((text) => /\\ud[89a-f]/.test(text))).toEqual([])
    },
  )

  it(
    'variables that grow with every item are refused before they take the memory',
    { timeout: PATIENCE_MS },
    async () => {
      act = () => 'x'.repeat(3_000_000)
      const plan = loadPlan(
        'plan: grow\nversion: 1.0.0\nsteps:\n  - { id: a, run: act, forEach: input.of, capture: [{ destination: all, merge: append }] }',
      )
      const run = await keelson.start(plan, { of: [1, 2, 3, 4, 5, 6, 7, 8] })
      const result = await run.result()
      expect([result.status, result.error?.code]).toEqual(['FAILED', CAPTURED])
      expect(await run.trouble()).toBeUndefined()
    },
  )

  it('all of it can be proved', { timeout: PATIENCE_MS }, async () => {
    if (isLasting) expect(await keelson.maintenance.verifyStore()).toMatchObject({ broken: [], findings: [] })
    else await expect(keelson.list()).resolves.toMatchObject({ runs: expect.any(Array) })
  })
})
