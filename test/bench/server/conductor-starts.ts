/**
 * The same start at a Conductor server with SQLite (which it does not sync): the answer to `POST /api/workflow`, at the same concurrency.
 * Where Conductor cannot be had, that is told, and its rows are left out.
 */
import { startConductor, type ConductorServer } from '../../setup/conductor.ts'
import { peerStarts, type PeerStarts } from './peer-starts.ts'

const TASK = { name: 'work', taskReferenceName: 'work', type: 'SIMPLE', inputParameters: {} }
const DEFINITION = { name: 'one', version: 1, schemaVersion: 2, ownerEmail: 'bench@example.com', tasks: [TASK] }
const BODY = JSON.stringify({ name: 'one', version: 1, input: {}, workflowDef: DEFINITION })

/** No worker does the task: a start is measured, as the answer 202 of the server is. */
export async function conductorStarts(concurrency: number, forMs: number): Promise<PeerStarts | undefined> {
  const server = await startConductor().catch(leftOut)
  if (server === undefined) return undefined
  const start = async (): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}/api/workflow`, { method: 'POST', headers, body: BODY })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`Conductor answered ${answer.status} to a start: ${text}`)
  }
  try {
    return await peerStarts(start, concurrency, forMs)
  } finally {
    await server.stop()
  }
}

function leftOut(thrown: unknown): ConductorServer | undefined {
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  process.stderr.write(`\n*** Conductor does not take part: ${why} ***\n\n`)
  return undefined
}
