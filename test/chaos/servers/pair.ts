/** Two real `keelson serve` processes on one PostgreSQL, each at an address of its own that it keeps over its deaths. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT } from '../../../scripts/terminal.ts'
import { ownPort } from '../../setup/own-port.ts'
import { startChild } from '../../fixtures/child.ts'

const BIN = join(ROOT, 'bin', 'keelson.js')
/** The load of this test comes from one principal. */
const UNLIMITED = { KEELSON_RATE_PRINCIPAL: '0', KEELSON_RATE_TENANT: '0' }

export interface Place {
  /** With the plans and the step functions. */
  readonly folder: string
  readonly store: string
  readonly keysDir: string
}

export interface Kill {
  readonly server: number
  /** By the clock of this machine, which is the database's too. */
  readonly at: number
}

export class ServerPair {
  readonly urls: readonly string[]
  readonly kills: Kill[] = []
  readonly #place: Place
  readonly #children: (ChildProcess | undefined)[] = []

  private constructor(place: Place, ports: readonly number[]) {
    this.#place = place
    this.urls = ports.map((port) => `http://127.0.0.1:${port}`)
  }

  static async open(place: Place): Promise<ServerPair> {
    const pair = new ServerPair(place, [await ownPort(), await ownPort()])
    // The first makes the tables.
    await pair.start(0)
    await pair.start(1)
    return pair
  }

  /** Resolves when it is ready. */
  async start(server: number): Promise<void> {
    const { folder, store, keysDir } = this.#place
    const port = new URL(this.urls[server] ?? '').port
    const args = ['serve', folder, '--port', port, '--store', store, '--keys-dir', keysDir, '--json']
    const child = startChild(process.execPath, [BIN, ...args], { env: { ...process.env, ...UNLIMITED } })
    this.#children[server] = child
    const gone = once(child, 'exit').then(([code]) => {
      throw new Error(`server ${server} ended with ${String(code)} before it was ready`)
    })
    const ready = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('"server":"ready"')) resolve()
      })
    })
    await Promise.race([ready, gone])
    gone.catch(() => undefined)
  }

  async kill(server: number): Promise<void> {
    const child = this.#children[server]
    if (child === undefined) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    this.kills.push({ server, at: Date.now() })
  }

  /** As a person stops them; gives their exit codes. */
  async stop(): Promise<readonly (number | null)[]> {
    return Promise.all(
      this.#children.map(async (child) => {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null
        const gone = once(child, 'exit')
        child.kill('SIGTERM')
        return ((await gone) as [number | null])[0]
      }),
    )
  }
}
