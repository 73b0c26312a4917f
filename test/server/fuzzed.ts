/** Starts the server that is fuzzed, and asks it how it is. */
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startChild } from '../fixtures/child.ts'
import type { Names } from './sample-requests.ts'

export interface Health {
  readonly heapBytes: number
  readonly sockets: number
  readonly told: readonly string[]
}

export interface Fuzzed extends AsyncDisposable {
  readonly url: string
  readonly names: Names
  readonly isAlive: () => boolean
  readonly health: () => Promise<Health>
}

const SCRIPT = join(import.meta.dirname, 'fuzzed-server.ts')

export async function fuzzed(folder: string): Promise<Fuzzed> {
  const child = startChild(process.execPath, ['--expose-gc', '--no-warnings', SCRIPT, folder], {}, null)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the server that is fuzzed has ended')
    return value
  }
  const { url, names } = JSON.parse(await next()) as { readonly url: string; readonly names: Names }
  return {
    url,
    names,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    health: async () => {
      child.stdin.write('how\n')
      return JSON.parse(await next()) as Health
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.stdin.end('stop\n')
      await gone
    },
  }
}
