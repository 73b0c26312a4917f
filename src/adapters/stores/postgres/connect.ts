/**
 * A small pool of connections to one database: durable or refused, statements prepared once per connection. A
 * transaction that the server rolled back for another is tried again here; one whose answer was lost is not, because
 * its fate is unknown (P-10).
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { fail } from '../../../core/problems/problem.ts'
import { gatherCounts } from './counts.ts'
import { loadDriver } from './driver.ts'
import { checkDurability } from './durability.ts'
import { raiseGeneration } from './feed.ts'
import { isRetryable, storeFailure } from './failure.ts'
import { KeptClients } from './kept-clients.ts'
import { migrate } from './migrate.ts'
import { subscriberScope } from './roles.ts'
import type { Columns } from './run-row.ts'
import type { Sessions, Transaction, Values } from './session.ts'
import { listenForWakes, type WakeListener, type Wakes } from './wake.ts'

export interface ConnectOptions {
  readonly connectionString: string
  readonly poolSize?: number
  readonly waiveDurability?: boolean
  readonly mustExist?: boolean
}

export interface Connection extends Sessions {
  /** False when durability was waived. */
  readonly durable: boolean
  /** Prefix of the names of this role's subscribers; empty for a role that serves all tenants. */
  readonly feedScope: string
  onWake(listener: WakeListener): () => void
  close(): Promise<void>
}

export const POOL_SIZE = 4
const CONNECT_MS = 15_000
const ANSWER_MS = 60_000
const LOCK_MS = 5_000
const IDLE_MS = 60_000
const TRIES = 8
const RETRY_MS = 4

export async function connect(options: ConnectOptions): Promise<Connection> {
  const { Client, Pool } = await loadDriver()
  const { connectionString, poolSize = POOL_SIZE, waiveDurability = false, mustExist = false } = options
  const database = nameOf(connectionString)
  const pool = new Pool({
    connectionString,
    max: Math.max(1, poolSize),
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    query_timeout: ANSWER_MS,
    lock_timeout: LOCK_MS,
    keepAlive: true,
    application_name: 'keelson',
  })
  const wakes = listenForWakes(() => new Client({ connectionString, keepAlive: true, application_name: 'keelson' }))
  const connection = connectionOn(pool, database, wakes)
  try {
    const durable = await checkDurability(connection, waiveDurability)
    await migrate(connection, mustExist)
    await raiseGeneration(connection)
    await gatherCounts(connection)
    return { ...connection, durable, feedScope: await subscriberScope(connection) }
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** The address without the credentials; text that is not a URL is not shown at all. */
function nameOf(connectionString: string): string {
  if (!URL.canParse(connectionString)) return 'given by the connection string'
  const { hostname, port, pathname } = new URL(connectionString)
  return `${hostname === '' ? 'localhost' : hostname}:${port === '' ? '5432' : port}${pathname}`
}

function connectionOn(pool: Pool, database: string, wakes: Wakes): Connection {
  const run = preparedRunner()
  const clients = new KeptClients(pool)
  const inFlight = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined
  const borrow = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    if (closing !== undefined) fail('STORE_CLOSED', `The store on ${database} was closed.`)
    const call = retried(() => clients.use(work))
    inFlight.add(call)
    try {
      return await call
    } catch (error) {
      throw storeFailure(error, database)
    } finally {
      inFlight.delete(call)
    }
  }
  // When the pool ends, it drops calls that still wait for a connection: they finish first.
  const close = async (): Promise<void> => {
    await Promise.allSettled(inFlight)
    clients.close()
    await Promise.all([wakes.close(), pool.end()])
  }
  return {
    database,
    durable: true,
    feedScope: '',
    query: (sql, values) => borrow((client) => run(client, sql, values)),
    transaction: (work) => borrow((client) => inTransaction(client, run, work)),
    onWake: wakes.onWake,
    close: () => (closing ??= close()),
  }
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isRetryable(error) || tries >= TRIES) throw error
    }
    await pause(RETRY_MS * tries)
  }
}

async function inTransaction<T>(
  client: PoolClient,
  run: Run,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  await client.query('BEGIN')
  let answer: T
  try {
    answer = await work({
      query: (sql, values) => run(client, sql, values),
      script: async (sql) => void (await client.query(sql)),
    })
  } catch (error) {
    // A lost connection has rolled back by itself, and the first error is the one to report.
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
  await client.query('COMMIT')
  return answer
}

type Run = (client: PoolClient, text: string, values?: Values) => Promise<readonly Columns[]>

/** Every text is prepared under its own name, so that it is parsed once per connection. */
function preparedRunner(): Run {
  const names = new Map<string, string>()
  return async (client, text, values = []) => {
    const name = names.get(text) ?? `keelson_${names.size}`
    names.set(text, name)
    const given = typeof values === 'function' ? values() : values
    const { rows } = await client.query<Columns>({ name, text, values: [...given] })
    return rows
  }
}
