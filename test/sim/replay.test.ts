/** One seed is one history: in the same process, in another one, and after a failing one was cut down. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SEED } from './default-run.ts'
import { explore, seedOf, withoutStacks } from './explore.ts'
import { runHistory } from './history.ts'
import { makeScenario } from './scenario.ts'
import { shrink } from './shrink.ts'
import type { World } from './world.ts'
import { runChild } from '../fixtures/child.ts'

describe('a seed', () => {
  it('gives the same records, executions and instants twice', async () => {
    const restore = withoutStacks()
    for (let index = 0; index < 120; index += 1) {
      const scenario = makeScenario(seedOf(SEED, index))
      const first = await runHistory(scenario)
      const again = await runHistory(scenario)
      expect(again.digest, `KEELSON_SEED=${SEED}, history ${scenario.seed}`).toBe(first.digest)
    }
    restore()
  })

  it('gives the same in another process', async () => {
    const here = await explore({ histories: 60, seed: SEED })
    const cli = join(import.meta.dirname, 'cli.ts')
    const args = [cli, '--histories', '60', '--seed', String(SEED), '--crash-plans', '0', '--json']
    const { stdout } = runChild(process.execPath, args, { maxBuffer: 2 ** 26 })
    expect((JSON.parse(stdout) as { digest: string }).digest).toBe(here.digest)
  })
})

it('a failing history is cut down to what makes it fail', async () => {
  const restore = withoutStacks()
  /** Stands for a defect that shows whenever the plan's second step is executed. */
  const judge = (world: World): readonly string[] =>
    world.effects.all.some(({ slot, ended }) => slot === 's1' && ended === 'completed')
      ? ['I99 planted by this test']
      : []
  for (let index = 0, found = 0; found < 3; index += 1) {
    const scenario = makeScenario(seedOf(SEED, index))
    const { violations, fired } = await runHistory(scenario, { judge })
    if (violations[0] === undefined || scenario.acts.length === 0) continue
    found += 1
    const cut = await shrink(scenario, fired, violations[0], { judge })
    expect(cut.violations[0]).toContain('I99')
    expect(cut.faults).toEqual([])
    expect(cut.scenario.acts).toEqual([])
    expect(cut.scenario.runs).toHaveLength(1)
    const steps = cut.scenario.plans[0]?.steps ?? []
    const needed = JSON.stringify(steps.find(({ id }) => id === 's1'))
    // Nothing is left but the step itself and what its expressions read.
    expect(steps.filter(({ id }) => id !== 's1' && !needed.includes(id))).toEqual([])
  }
  restore()
})
