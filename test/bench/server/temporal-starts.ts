/** The same start at Temporal's development server: the answer to `StartWorkflowExecution`, at the same concurrency. */
import { Client, Connection } from '@temporalio/client'
import { startTemporal } from '../../setup/temporal.ts'
import { peerStarts, type PeerStarts } from './peer-starts.ts'

/** No worker runs the workflows: a start is measured, as the answer 202 of the server is. */
export async function temporalStarts(concurrency: number, forMs: number): Promise<PeerStarts> {
  const server = await startTemporal()
  const connection = await Connection.connect({ address: server.address })
  const client = new Client({ connection })
  let count = 0
  const start = async (): Promise<void> => {
    count += 1
    await client.workflow.start('one', { taskQueue: 'nobody', workflowId: `one-${count}`, args: [{}] })
  }
  try {
    return await peerStarts(start, concurrency, forMs)
  } finally {
    await connection.close()
    await server.stop()
  }
}
