/** The engine without a server, in a process of its own: for each line that it reads one lap of one-step runs, answered by their number a second. */
import { createInterface } from 'node:readline'
import { loadPlan, openKeelson } from '../../../src/main.ts'
import { PLAN } from './project.ts'

const [folder = '', forMs = '1000', concurrency = '64'] = process.argv.slice(2)

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

const asked = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
while ((await asked.next()).done !== true) process.stdout.write(`${await perSecond()}\n`)
