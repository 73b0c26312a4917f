/** The real command in a process of its own, with what it takes of memory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export interface ServedProcess {
  readonly url: string
  megabytes(): number
  stop(): Promise<void>
}

/** What the load of one machine and one principal would meet first; where they are the question, they are given. */
const UNLIMITED = { KEELSON_RATE_PRINCIPAL: '0', KEELSON_RATE_TENANT: '0', KEELSON_STREAMS_PER_PRINCIPAL: '20000' }

export async function servedProcess(
  project: string,
  state: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServedProcess> {
  const args = [join(ROOT, 'bin/keelson.js'), 'serve', project, '--port', '0', '--log', 'off', '--dir', state]
  const server = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...UNLIMITED, ...settings },
  })
  const url = await new Promise<string>((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`the server ended with ${String(code)}`)))
    createInterface({ input: server.stdout }).on('line', (line) => {
      const [found] = /http:\/\/[\d.:]+/.exec(line) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  return {
    url,
    megabytes: () => {
      const status = readFileSync(`/proc/${server.pid ?? 0}/status`, 'utf8')
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
    },
    stop: async () => {
      const gone = once(server, 'exit')
      server.kill('SIGTERM')
      await gone
    },
  }
}
