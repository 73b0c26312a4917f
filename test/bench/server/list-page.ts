/** A page of 50 runs over HTTP, from a store with very many. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from '../../../src/adapters/stores/sqlite/store.ts'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import { STORE_FILE } from '../../../src/core/state-folder.ts'
import { fillSqlite } from '../stored-runs.ts'
import { load, type LoadResult } from './load.ts'
import { servedProcess } from './served-process.ts'

const PATHS = ['/v1/executions?limit=50', '/v1/executions?limit=50&status=FAILED&planId=plan-3'] as const

export async function listPage(project: string, state: string, runs: number, forMs: number): Promise<LoadResult> {
  mkdirSync(state, { recursive: true })
  const path = join(state, STORE_FILE)
  await (await openSqliteStore({ path, clock: systemClock })).close()
  fillSqlite(path, { runs })
  const server = await servedProcess(project, state)
  try {
    const results = []
    for (const one of PATHS) results.push(await load({ url: server.url, path: one, concurrency: 1, forMs }))
    return results.reduce((worse, one) => (one.p50Ms > worse.p50Ms ? one : worse))
  } finally {
    await server.stop()
  }
}
