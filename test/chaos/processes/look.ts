/** Looks into the store's tables by plain SQL, past the product, and waits until something is there to be seen. */
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'

export type Row = Readonly<Record<string, unknown>>

const STEP_MS = 20

export class Look {
  readonly #client: Client

  private constructor(client: Client) {
    this.#client = client
  }

  static async open(url: string): Promise<Look> {
    const client = new Client({ connectionString: url, application_name: 'judge' })
    await client.connect()
    return new Look(client)
  }

  async rows(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.#client.query<Row>(sql, [...values])).rows
  }

  /** The first answer that is not undefined. */
  async until<T>(what: string, withinMs: number, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
    for (const deadline = Date.now() + withinMs; ;) {
      const found = await look()
      if (found !== undefined) return found
      if (Date.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`)
      await pause(STEP_MS)
    }
  }

  close(): Promise<void> {
    return this.#client.end()
  }
}

/** An event as the store has it. */
export interface StoredLine {
  readonly runKey: number
  readonly runId: string
  readonly seq: number
  readonly persistedAt: number
  readonly eventType: string
  readonly key: Buffer
  readonly chainHash: Buffer
  readonly record: string
  readonly data: string | null
  readonly salt: Buffer | null
}

/** As `RunEventRecord` has them: all the judge knows of the product. */
export interface RecordFields {
  readonly runId: string
  readonly runSeq: number
  readonly eventType: string
  readonly planVersion: string
  readonly idempotencyKey: string
  readonly logicalAttemptId: number
  readonly engineAttemptId: number
  readonly stepId?: string
  readonly itemIndex?: number
  readonly role?: string
  readonly dataHash?: string
  readonly decision: { readonly firstSeq: number }
  readonly payload?: Readonly<Record<string, unknown>>
}

const EVENTS = `SELECT e.run_key, r.run_id, e.seq, e.persisted_at, e.event_type, e.idempotency_key, e.chain_hash, e.record,
    e.data, e.salt
  FROM keelson.events e JOIN keelson.runs r ON r.run_key = e.run_key`

export async function readLog(look: Look, runId?: string): Promise<readonly StoredLine[]> {
  const where = runId === undefined ? '' : 'WHERE r.run_id = $1'
  const rows = await look.rows(`${EVENTS} ${where} ORDER BY e.run_key, e.seq`, runId === undefined ? [] : [runId])
  return rows.map((row) => ({
    runKey: Number(row['run_key']),
    runId: String(row['run_id']),
    seq: Number(row['seq']),
    persistedAt: Number(row['persisted_at']),
    eventType: String(row['event_type']),
    key: row['idempotency_key'] as Buffer,
    chainHash: row['chain_hash'] as Buffer,
    record: String(row['record']),
    data: row['data'] as string | null,
    salt: row['salt'] as Buffer | null,
  }))
}

export const fieldsOf = (line: StoredLine): RecordFields => JSON.parse(line.record) as RecordFields
