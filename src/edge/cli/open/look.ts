/** The store alone, or the rows of runs behind a server, for commands that only need rows: faster to open than everything, and never created. */
import { envelopeOf } from '../../../app/log/read-events.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { openFolderStore, openServerStore } from '../../../compose/open-store.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import type { ReadableRuns } from '../../../library/read/readable-runs.ts'
import type { RunRow, RunStore } from '../../../ports/run-store.ts'
import { needDatabase, serverUrl, storeUrl, type Place } from '../files/place.ts'

export async function openToLook(place: Place): Promise<RunStore> {
  return (await serverStore(place)) ?? openFolderStore(place.dir)
}

/** Undefined where the folder itself has the runs. */
export async function serverStore(place: Place): Promise<RunStore | undefined> {
  const url = storeUrl(place)
  if (url !== undefined) return openServerStore(url, { mustExist: true })
  needDatabase(place)
  return undefined
}

export interface Rows extends Pick<ReadableRuns, 'counts' | 'close'> {
  readonly list: (...given: Required<Parameters<ReadableRuns['list']>>) => ReturnType<ReadableRuns['list']>
  /** The first events of a run that can be read. */
  firstRecords(row: RunRow, limit: number): Promise<readonly LogRecord[]>
}

export async function openRows(place: Place): Promise<Rows> {
  return serverUrl(place) === undefined ? rowsHere(place) : rowsAfar(place)
}

async function rowsHere(place: Place): Promise<Rows> {
  const store = await openToLook(place)
  const { tenantId } = LOCAL_PRINCIPAL
  return {
    list: (filter, page) => store.listRuns(tenantId, filter, page),
    counts: () => store.countRuns(tenantId),
    firstRecords: async ({ runKey }, limit) =>
      (await store.readEvents(runKey, { limit })).flatMap((stored) => {
        const record = envelopeOf(stored)
        return record.ok ? [record.value] : []
      }),
    close: () => store.close(),
  }
}

async function rowsAfar(place: Place): Promise<Rows> {
  const runs = await (await import('../remote/remote-runs.ts')).openRemote(place)
  return {
    list: (filter, page) => runs.list(filter, page),
    counts: () => runs.counts(),
    firstRecords: async ({ runId, quarantine }, limit) =>
      (await runs.run(runId)).records(0, quarantine === undefined ? limit : 1),
    close: () => runs.close(),
  }
}
