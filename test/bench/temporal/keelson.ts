/** Keelson on Temporal: the same steps as a plan, with the log in a SQLite file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporal } from '../../../src/adapters/engines/temporal/engine.ts'
import { loadPlan, openKeelson } from '../../../src/main.ts'
import type { Contender, Shape } from './contender.ts'

const WIDEST = 500

export async function keelsonOnTemporal(address: string): Promise<Contender> {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-bench-temporal-'))
  const steps = { work: async ({ n }: { readonly n: number }) => Promise.resolve({ n: n + 1 }) }
  const keelson = await openKeelson({ directory, steps, engine: temporal({ address, maxSteps: 100 }) })
  return {
    name: 'keelson',
    run: async (shape, count) => {
      const plan = loadPlan(planOf(shape, count))
      const began = performance.now()
      const run = await keelson.start(plan, { items: Array.from({ length: count }, (_, n) => n) })
      const { status } = await run.result()
      if (status !== 'COMPLETED') throw new Error(`the run ended ${status}`)
      return { ms: performance.now() - began, workflowId: run.runId }
    },
    close: async () => {
      await keelson.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Steps of which none depends on another are a sequence; all at once they are the items of one. */
function planOf(shape: Shape, count: number): string {
  const policy = { concurrency: Math.min(WIDEST, count) }
  const chain = Array.from({ length: count }, (_, n) =>
    n === 0
      ? { id: 's0', run: 'work', with: { n } }
      : { id: `s${n}`, run: 'work', with: { n: `\${steps.s${n - 1}.output.n}` }, dependsOn: [`s${n - 1}`] },
  )
  const fan = [{ id: 'all', run: 'work', forEach: 'input.items', with: { n: '${item}' } }]
  return JSON.stringify({ plan: `bench-${shape}`, version: '1.0.0', policy, steps: shape === 'chain' ? chain : fan })
}
