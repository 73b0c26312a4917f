/**
 * The thread that writes large batches is lost while a hundred runs are under way: no start whose caller was answered is lost, every
 * run ends, and every log proves itself (P-10).
 */
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { KeelsonError, loadPlan, openKeelson, type StepContext } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { until } from '../fixtures/until.ts'

const AT_ONCE = 100
const STEPS = 6
const PLAN = loadPlan(
  JSON.stringify({
    plan: 'chain',
    version: '1.0.0',
    steps: Array.from({ length: STEPS }, (_, at) => ({
      id: `s${at}`,
      run: 'work',
      with: { at },
      ...(at === 0 ? {} : { dependsOn: [`s${at - 1}`] }),
    })),
  }),
)

/** A start whose answer was lost is told to its caller. */
function needUnknown(thrown: unknown): undefined {
  if (!(thrown instanceof KeelsonError && thrown.code === 'STORE_UNAVAILABLE')) throw thrown
}

/** Of all threads of the process this one alone has so little memory. */
const isWriter = ({ resourceLimits }: Worker): boolean => resourceLimits?.maxOldGenerationSizeMb === 64

it('runs whose writer thread is lost in the middle go on without it, and every log proves itself [P-10]', async () => {
  const writers: Worker[] = []
  const heard = (worker: Worker): void => void (isWriter(worker) && writers.push(worker))
  process.on('worker', heard)
  onTestFinished(() => void process.removeListener('worker', heard))
  const calls = new Map<string, number>()
  const work = async (_input: unknown, { runId, stepId }: StepContext): Promise<null> => {
    const name = `${runId} ${stepId}`
    calls.set(name, (calls.get(name) ?? 0) + 1)
    return null
  }
  const keelson = await openKeelson({ directory: testFolder(), steps: { work }, maxSteps: 2 * AT_ONCE })
  onTestFinished(() => keelson.close())
  let begun = 0
  let refused = 0
  let isLost = false
  const lane = async (): Promise<void> => {
    for (let more = 3; more > 0; more -= isLost ? 1 : 0) {
      const run = await keelson.start(PLAN).catch(needUnknown)
      if (run === undefined) refused += 1
      else expect((await run.result()).status).toBe('COMPLETED')
      begun += 1
    }
  }
  const lanes = Promise.all(Array.from({ length: AT_ONCE }, lane))
  await until(() => writers.length > 0 && begun > 3 * AT_ONCE)
  await writers[0]?.terminate()
  isLost = true
  await lanes
  // One that was told of an unknown fate may be there all the same, and then it ends as well.
  await until(async () => [...(await keelson.counts()).keys()].every((status) => status === 'COMPLETED'))
  const proof = await keelson.maintenance.verifyStore()
  expect(proof).toMatchObject({ broken: [], findings: [], whole: true })
  expect(proof.runs).toBeGreaterThanOrEqual(begun - refused)
  expect(proof.runs).toBeLessThanOrEqual(begun)
  expect(calls.size).toBe(proof.runs * STEPS)
  expect(writers).toHaveLength(1)
}, 180_000)
