/** The hand-written workflows on the same server: a worker of their own, timed from start to result. */
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { Contender, Shape } from './contender.ts'

const QUEUE = 'hand-written'

export async function handWritten(address: string): Promise<Contender> {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  const native = await NativeConnection.connect({ address })
  const connection = await Connection.connect({ address })
  const client = new Client({ connection })
  const worker = await Worker.create({
    connection: native,
    taskQueue: QUEUE,
    workflowsPath: join(import.meta.dirname, 'hand-written.ts'),
    activities: { work: async ({ n }: { readonly n: number }) => Promise.resolve({ n: n + 1 }) },
    maxConcurrentActivityTaskExecutions: 100,
  })
  const running = worker.run()
  let runs = 0
  return {
    name: 'hand-written',
    run: async (shape: Shape, count: number) => {
      const workflowId = `by-hand-${(runs += 1)}`
      const began = performance.now()
      await client.workflow.execute(shape, { taskQueue: QUEUE, workflowId, args: [count] })
      return { ms: performance.now() - began, workflowId }
    },
    close: async () => {
      worker.shutdown()
      await running
      await connection.close()
      await native.close()
    },
  }
}
