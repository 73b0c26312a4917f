/**
 * A real Temporal server for tests, on a free port of loopback and in a folder of its own. In CI a missing one fails;
 * elsewhere it is said loudly, and the caller's tests fail.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownPort } from './own-port.ts'
import { findTemporal, startTemporalServer } from '../../src/adapters/processes/temporal-server.ts'
import { keepWorkflowBundle } from './workflow-bundle.ts'

export interface TemporalServer {
  /** host:port */
  readonly address: string
  /** Ends the server as a power cut would, and waits until it is gone. */
  kill9(): Promise<void>
  /** Starts it again on the same port; with `lasting` on the same data. */
  restart(): Promise<void>
  /** Runs the Temporal command line against it. */
  command(...words: readonly string[]): string
  stop(): Promise<void>
}

/** A history of thousands of events is megabytes of JSON. */
const OUTPUT_MAX = 256 * 1024 * 1024
const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'temporal')

export async function startTemporal(options: { readonly lasting?: boolean } = {}): Promise<TemporalServer> {
  keepWorkflowBundle()
  const program = temporalProgram()
  const folder = mkdtempSync(join(tmpdir(), 'keelson-temporal-'))
  const port = await ownPort()
  const file = options.lasting === true ? { file: join(folder, 'temporal.db') } : {}
  const start = () => startTemporalServer({ program, port, cwd: folder, ...file })
  let server = await start()
  const { address } = server
  return {
    address,
    kill9: () => server.stop('SIGKILL'),
    restart: async () => {
      await server.stop()
      server = await start()
    },
    command: (...words) => {
      const done = spawnSync(program, [...words, '--address', address], { encoding: 'utf8', maxBuffer: OUTPUT_MAX })
      if (done.status !== 0) throw new Error(`temporal ${words.join(' ')}: ${done.stderr}`)
      return done.stdout
    },
    stop: async () => {
      // It takes more than a second to say goodbye, and what it had goes with it.
      await server.stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Its path: found, or built into the cache. */
export function temporalProgram(): string {
  const loudly = (line: string): void => void process.stderr.write(`\n*** ${line} ***\n\n`)
  try {
    return findTemporal({ cache: CACHE, tell: loudly })
  } catch (error) {
    loudly(
      'The Temporal server is not to be had here: the Temporal engine is NOT tested. Name it in KEELSON_TEMPORAL_BIN.',
    )
    throw error
  }
}
