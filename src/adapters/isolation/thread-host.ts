/** A thread of its own for one call: it can be ended in the middle of anything, an endless loop included. */
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
