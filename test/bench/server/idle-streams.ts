/** What streams cost that nothing happens on: the size of the server before them and with all of them open. */
import { request, type ClientRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { servedProcess } from './served-process.ts'

/** So many are opened at once. */
const AT_ONCE = 100
const SETTLE_MS = 2_000

export interface IdleStreams {
  readonly streams: number
  readonly megabytesBefore: number
  readonly megabytesWith: number
}

export async function idleStreams(project: string, state: string, streams: number): Promise<IdleStreams> {
  const server = await servedProcess(project, state)
  const open: ClientRequest[] = []
  try {
    const started = await fetch(`${server.url}/v1/executions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ planId: 'waits' }),
    })
    const { executionId } = (await started.json()) as { readonly executionId: string }
    const address = `${server.url}/v1/executions/${executionId}/stream`
    open.push(...(await opened(address, 1)))
    await pause(SETTLE_MS)
    const megabytesBefore = server.megabytes()
    while (open.length < streams) open.push(...(await opened(address, Math.min(AT_ONCE, streams - open.length))))
    await pause(SETTLE_MS)
    return { streams, megabytesBefore, megabytesWith: server.megabytes() }
  } finally {
    for (const one of open) one.destroy()
    await server.stop()
  }
}

function opened(address: string, count: number): Promise<readonly ClientRequest[]> {
  const one = (): Promise<ClientRequest> =>
    new Promise((resolve, reject) => {
      const asked = request(address, { agent: false, headers: { accept: 'text/event-stream' } }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`a stream was answered ${response.statusCode ?? 0}`))
        response.on('error', () => undefined)
        // Its first events have come: it waits for more.
        response.once('data', () => resolve(asked))
      })
      asked.on('error', reject)
      asked.end()
    })
  return Promise.all(Array.from({ length: count }, one))
}
