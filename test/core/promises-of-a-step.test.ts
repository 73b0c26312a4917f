/**
 * What one more step of a chain costs in promises. Each is a function that waited, also for what was at hand; together they were a
 * tenth of the time of a step. The count is the same on every machine, however busy.
 */
import { promiseHooks } from 'node:v8'
import { expect, it } from 'vitest'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'

/** As counted with room for one layer more; every wait counts once more while promises are counted. */
const MOST = 64

function chain(steps: number) {
  const lines = Array.from({ length: steps }, (_, index) => ({
    id: `step-${index}`,
    run: 'work',
    dependsOn: index === 0 ? [] : [`step-${index - 1}`],
  }))
  return loadPlan(JSON.stringify({ plan: `chain-${steps}`, version: '1.0.0', steps: lines }))
}

it('one more step of a chain makes a few dozen promises, and waits for nothing that is at hand', async () => {
  const keelson = await openKeelson({ directory: testFolder(), steps: { work: async () => 1 } })
  const promisesOf = async (steps: number): Promise<number> => {
    const plan = chain(steps)
    await (await keelson.start(plan)).result()
    let made = 0
    const stop = promiseHooks.onInit(() => (made += 1))
    try {
      const { status } = await (await keelson.start(plan)).result()
      expect(status).toBe('COMPLETED')
    } finally {
      ;(stop as () => void)()
    }
    return made
  }
  try {
    const [short, long] = [await promisesOf(20), await promisesOf(120)]
    expect((long - short) / 100).toBeLessThan(MOST)
  } finally {
    await keelson.close()
  }
})
