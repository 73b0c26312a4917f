/**
 * The floor under everybody: what a log needs and nothing else. Each step is two texts of the size of our events that are durable before
 * the next step begins; what waits at the same moment shares a commit. No decision, no key, no hash, no index but the row's own.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { CHAIN_STEPS, FAN_STEPS, TEN, type Contender, type Work } from './contender.ts'

/** An event with its payload and data, as the race's events are. */
const EVENT = 'e'.repeat(640)
const TABLE = 'CREATE TABLE log (pos INTEGER PRIMARY KEY, event TEXT NOT NULL)'
const POSTGRES_TABLE = 'CREATE TABLE log (pos BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event TEXT NOT NULL)'

type Write = (events: readonly string[]) => Promise<void>

/** What is added while a write is on its way goes with the next one. */
class SharedCommits {
  readonly #write: Write
  #waiting: (() => void)[] = []
  #events: string[] = []
  #isWriting = false

  constructor(write: Write) {
    this.#write = write
  }

  add(...events: readonly string[]): Promise<void> {
    this.#events.push(...events)
    const written = new Promise<void>((resolve) => this.#waiting.push(resolve))
    if (!this.#isWriting) {
      this.#isWriting = true
      setImmediate(() => void this.#run())
    }
    return written
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const [events, told] = [this.#events, this.#waiting]
      this.#events = []
      this.#waiting = []
      await this.#write(events)
      for (const tell of told) tell()
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#isWriting = false
  }
}

function contenderOn(write: Write, work: Work, close: () => Promise<void>): Contender {
  const log = new SharedCommits(write)
  const chained = (steps: number) => async (): Promise<void> => {
    await log.add(EVENT, EVENT)
    for (let step = 0; step < steps; step += 1) {
      await work()
      await log.add(EVENT, EVENT)
    }
  }
  const step = async (): Promise<void> => {
    await work()
    await log.add(EVENT)
  }
  const fan = async (): Promise<void> => {
    await log.add(...Array.from({ length: FAN_STEPS }, () => EVENT))
    await Promise.all(Array.from({ length: FAN_STEPS }, step))
  }
  return { oneStep: chained(1), tenSteps: chained(TEN), chain: chained(CHAIN_STEPS), fan, close }
}

export async function bareOnSqlite(place: string, work: Work): Promise<Contender> {
  const db = new DatabaseSync(join(place, 'bare.db'))
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${TABLE}`)
  const [begin, insert, commit] = [
    db.prepare('BEGIN IMMEDIATE'),
    db.prepare('INSERT INTO log (event) VALUES (?)'),
    db.prepare('COMMIT'),
  ]
  const write = async (events: readonly string[]): Promise<void> => {
    begin.run()
    for (const event of events) insert.run(event)
    commit.run()
  }
  return contenderOn(write, work, async () => db.close())
}

export async function bareOnPostgres(place: string, work: Work): Promise<Contender> {
  const client = new Client({ connectionString: place })
  await client.connect()
  await client.query(POSTGRES_TABLE)
  const text = 'INSERT INTO log (event) SELECT unnest($1::text[])'
  const write = async (events: readonly string[]): Promise<void> => {
    await client.query({ name: 'insert', text, values: [events] })
  }
  return contenderOn(write, work, () => client.end())
}
