/** The engine without a server, in a process of its own: one-step runs a second on the same kind of store. */
import { loadPlan, openKeelson } from '../../../src/main.ts'
import { PLAN } from './project.ts'

const [folder = '', forMs = '3000', concurrency = '64'] = process.argv.slice(2)

await using keelson = await openKeelson({ directory: folder, steps: { work: () => 1 }, smallHeap: true })
const plan = loadPlan(PLAN)

async function perSecond(): Promise<number> {
  let runs = 0
  const began = performance.now()
  const worker = async (): Promise<void> => {
    while (performance.now() - began < Number(forMs)) {
      const run = await keelson.start(plan)
      await run.result()
      runs += 1
    }
  }
  await Promise.all(Array.from({ length: Number(concurrency) }, worker))
  return (runs / (performance.now() - began)) * 1_000
}

// The first lap compiles the code, as the first load of the server does.
await perSecond()
process.stdout.write(`${await perSecond()}\n`)
