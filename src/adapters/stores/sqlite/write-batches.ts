/** The thread that writes large batches, one after another on its own connection; see commit-thread.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { KeelsonError } from '../../../core/problems/problem.ts'
import { commit } from './append.ts'
import { appendAllAfter } from './audit-log.ts'
import type { CommitThreadData, Outcome, Said } from './commit-thread.ts'
import { connect } from './connect.ts'
import { takeOver, takeOverAudits, type HandedBatch } from './hand-over.ts'

const CLOCK = { now: () => Date.now() }

async function answerTo(handed: HandedBatch): Promise<Outcome> {
  try {
    const batch = takeOver(handed)
    const audits = takeOverAudits(handed)
    let appended: readonly boolean[] = []
    const beside = (): void => void (appended = appendAllAfter(connection, audits))
    if (batch.length === 0) await connection.write(beside)
    const results = await commit(connection, batch, CLOCK, beside)
    return { results, appended }
  } catch (error) {
    if (error instanceof KeelsonError) return { problems: error.problems }
    return { defect: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

const say = (said: Said): void => parentPort?.postMessage(said, [])
const { path } = workerData as CommitThreadData
const connection = await connect({ path })
connection.db.exec('PRAGMA cache_size = -8000')
let last: Promise<void> = Promise.resolve()

async function take(asked: HandedBatch | 'close', before: Promise<void>): Promise<void> {
  await before
  if (asked !== 'close') return say({ ...(await answerTo(asked)), number: asked.number })
  connection.close()
  parentPort?.close()
}

parentPort?.on('message', (asked: HandedBatch | 'close') => {
  last = take(asked, last)
})
say({ ready: true })
