/** The same start at Temporal's development server: the answer to `StartWorkflowExecution`, at the same concurrency. */
import { Client, Connection } from '@temporalio/client'
import { startTemporal } from '../../setup/temporal.ts'

export interface TemporalStarts {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** No worker runs the workflows: a start is measured, as the answer 202 of the server is. */
export async function temporalStarts(concurrency: number, forMs: number): Promise<TemporalStarts> {
  const server = await startTemporal()
  const connection = await Connection.connect({ address: server.address })
  const client = new Client({ connection })
  let count = 0
  const times: number[] = []
  const start = async (): Promise<void> => {
    const at = performance.now()
    await client.workflow.start('one', { taskQueue: 'nobody', workflowId: `one-${(count += 1)}`, args: [{}] })
    times.push(performance.now() - at)
  }
  const until = async (ms: number): Promise<number> => {
    times.length = 0
    const began = performance.now()
    const worker = async (): Promise<void> => {
      while (performance.now() - began < ms) await start()
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    return performance.now() - began
  }
  await until(Math.min(forMs, 1_000))
  const tookMs = await until(forMs)
  await connection.close()
  await server.stop()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
  return { perSecond: (sorted.length / tookMs) * 1_000, p50Ms: at(0.5), p99Ms: at(0.99) }
}
