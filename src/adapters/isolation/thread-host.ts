/** A separate thread for one call: it can be ended at any moment, even in an endless loop. */
import { Worker } from 'node:worker_threads'
import type { StartHost } from '../../ports/isolation.ts'

export const threadHost: StartHost = (entry, { message, gone }) => {
  const worker = new Worker(entry, { execArgv: [] })
  let why = 'its thread ended'
  worker.on('message', message)
  worker.on('error', (thrown) => {
    why = thrown instanceof Error ? thrown.message : String(thrown)
  })
  worker.once('exit', () => gone(why))
  return {
    send: (value) => worker.postMessage(value, []),
    kill: () => void worker.terminate(),
  }
}
