/**
 * The corpus on Temporal, against a real server: every plan comes out as on the embedded engine. And the command that says
 * so, on a selection and on plans of a user's own.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { compareEngines } from '../../src/app/conformance/compare-engines.ts'
import { PLAYING } from '../../src/compose/conformance-engines.ts'
import type { ConformanceEngine } from '../../src/ports/conformance.ts'
import { expectGoldenActions } from '../conformance/golden-actions.ts'
import { CORPUS, engineOf } from '../conformance/played.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, jsonLines, keelson } from '../e2e/command.ts'
import { isFull } from '../setup/extent.ts'
import { startTemporal, temporalProgram, type TemporalServer } from '../setup/temporal.ts'

const MINUTES = 1_800_000
const AT_ONCE = 8
/** For one plan; beside other test files on a small machine a worker takes its time. */
const PATIENCE_MS = 240_000

let server: TemporalServer
let embedded: ConformanceEngine
let temporal: ConformanceEngine
const before = process.env['TEMPORAL_ADDRESS']

/**
 * Each plan has a worker of its own, and each worker a thread for the workflow, which takes half a second to load the SDK. The SDK's
 * own switch for debugging leaves the thread out; the other suites, the command below and KEELSON_TESTS=full have it.
 */
async function withoutThreads<T>(work: () => Promise<T>): Promise<T> {
  if (!isFull) vi.stubEnv('TEMPORAL_DEBUG', '1')
  try {
    return await work()
  } finally {
    vi.unstubAllEnvs()
  }
}

beforeAll(async () => {
  await ensureBuilt()
  server = await startTemporal()
  process.env['TEMPORAL_ADDRESS'] = server.address
  embedded = await engineOf('embedded')
  temporal = await engineOf('temporal')
})
afterAll(async () => {
  if (before === undefined) delete process.env['TEMPORAL_ADDRESS']
  else process.env['TEMPORAL_ADDRESS'] = before
  await temporal?.close()
  await server?.stop()
})

it(
  'the corpus comes out alike on embedded and on Temporal: each slot, each demanded order, each hash [ADP-04]',
  { timeout: MINUTES },
  async () => {
    const report = await withoutThreads(() =>
      compareEngines([embedded, temporal], CORPUS, { ...PLAYING, atOnce: AT_ONCE, patienceMs: PATIENCE_MS }),
    )
    expect(report.differences).toEqual([])
    expect(report).toEqual({ plans: CORPUS.length, equal: CORPUS.length, different: 0, differences: [] })
    expect(CORPUS.length).toBeGreaterThanOrEqual(60)
  },
)

it(
  'the golden plans of actions have equal dispatch lists, order of compensations and final status on embedded and Temporal [ADP-07]',
  { timeout: MINUTES },
  () => withoutThreads(() => expectGoldenActions(embedded, temporal)),
)

describe('keelson conformance --engines embedded,temporal', () => {
  const PLAN = 'plan: own\nversion: 1.0.0\nsteps: [{ id: a, run: f }, { id: w, wait: { forMs: 20 } }]\n'
  const compare = ['conformance', '--engines', 'embedded,temporal'] as const

  it('answers as JSON for a selection of the corpus', async () => {
    const { code, stdout } = await keelson([...compare, '--only', 'minimal', 'diamond*', '--json'], folderWith({}))
    expect(code).toBe(0)
    expect(jsonLines(stdout)).toEqual([{ plans: 3, equal: 3, different: 0, differences: [] }])
  })

  it("plays a folder of a user's own plans, on a server that it starts and ends by itself", async () => {
    const entry = 'planFile: one.yaml\nexpect: { status: CANCELLED }\n'
    const folder = folderWith({ 'one.yaml': PLAN, 'two.yaml': PLAN.replace('own', 'two'), 'wrong.yaml': entry })
    const alone = { TEMPORAL_ADDRESS: '', KEELSON_TEMPORAL_BIN: temporalProgram() }
    const { code, stdout } = await keelson([...compare, '--plans', folder, '--json'], folder, undefined, alone)
    expect(code).toBe(1)
    expect(jsonLines(stdout)).toMatchObject([
      {
        plans: 3,
        equal: 2,
        different: 1,
        differences: [{ entry: 'wrong', left: { found: expect.any(String) as string } }],
      },
    ])
  })

  it('shows each plan to a person, with what it came to', async () => {
    const { code, stdout } = await keelson([...compare, '--only', 'minimal'], folderWith({}))
    expect(code).toBe(0)
    expect(stdout).toMatch(/✔ minimal +COMPLETED +[0-9a-f]{12}\n\n1 plan on embedded, temporal: 1 equal/)
  })
})
